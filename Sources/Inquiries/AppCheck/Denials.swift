internal import AppFile
internal import Catalog
internal import PQ

/// What the connected role may not do of some statements, and what they lack, by their places in a list.
struct Denials {
    /// What is refused as soon as names are looked up, since a schema may not be used.
    private(set) var ofParsing: [Int: ServerError] = [:]
    /// What cannot be parsed, since a table is not there.
    private(set) var ofTables: [Int: ServerError] = [:]
    /// What is refused as soon as it is to run.
    private(set) var ofPlanning: [Int: ServerError] = [:]
    /// What can be parsed, whether it may run or not.
    private(set) var parsed: Set<Int> = []

    fileprivate init() {}

    fileprivate init(_ rows: Rows) throws(DecodingFailure) {
        for (place, row) in rows.rows.enumerated() {
            let isOfParsing = try row.text("step") == "parsing"
            if !isOfParsing { parsed.insert(place) }
            guard let message = try row.optionalText("refusal") else { continue }
            let error = ServerError(state: SQLState(rawValue: try row.text("state")), message: message)
            if error.state != .insufficientPrivilege {
                if isOfParsing { ofTables[place] = error }
            } else if isOfParsing {
                ofParsing[place] = error
            } else {
                ofPlanning[place] = error
            }
        }
    }
}

extension Denials {
    /// The question whether anything may be refused, or is known to be wrong, and whether what can be found out.
    private static func condition(isWrong: Bool) -> Query {
        """
        select (\(isWrong ? "t" : "f")::boolean or current_setting('is_superuser') = 'off')
               and coalesce((select has_language_privilege(l.oid, 'usage') from pg_language l where l.lanname = 'plpgsql'),
                            false) as may_try
        """
    }

    /// What finds out about some statements, one behind the other in one transaction; the last answers.
    static func steps(_ statements: [String]) -> [Query] {
        [
            "select set_config('usher.tried', to_jsonb(\(arrayLiteral(statements))::text[])::text, true)",
            Query(file: "catalog/tried_statements.sql"),
            """
            select a.value ->> 'step' as step, a.value ->> 'refusal' as refusal, a.value ->> 'state' as state
              from jsonb_array_elements(current_setting('usher.tried')::jsonb) with ordinality as a (value, place)
             order by a.place
            """,
        ]
    }

    /// Finds out what would be refused, without an error in the log of the server: the log is its owner's.
    ///
    /// Nothing is found out where blocks may not be run, or take too long.
    init(
        of statements: [String], areWrong: Bool = false,
        asking: ([Query]) throws(PQError) -> Result<Rows, ServerError>
    ) throws(PQError) {
        self.init()
        guard !statements.isEmpty, case .success(let may) = try asking([Self.condition(isWrong: areWrong)]) else {
            return
        }
        do throws(DecodingFailure) { guard try may.only().boolean("may_try") else { return } } catch {
            throw .decoding(error)
        }
        guard case .success(let rows) = try asking(Self.steps(statements)) else { return }
        do throws(DecodingFailure) { try self.init(rows) } catch { throw .decoding(error) }
    }
}
