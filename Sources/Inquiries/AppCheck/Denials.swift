internal import Catalog
internal import PQ

/// What the connected role may not do of some statements, by their places in a list.
struct Denials {
    /// What is refused as soon as names are looked up, since a schema may not be used.
    private(set) var ofParsing: [Int: ServerError] = [:]
    /// What is refused as soon as it is to run.
    private(set) var ofPlanning: [Int: ServerError] = [:]

    fileprivate init() {}

    fileprivate init(_ rows: Rows) throws(DecodingFailure) {
        for (place, row) in rows.rows.enumerated() {
            guard let message = try row.optionalText("refusal") else { continue }
            let error = ServerError(state: .insufficientPrivilege, message: message)
            if try row.text("step") == "parsing" { ofParsing[place] = error } else { ofPlanning[place] = error }
        }
    }
}

extension Denials {
    /// The question whether anything may be refused, and whether that can be found out.
    static let condition: Query = """
        select current_setting('is_superuser') = 'off'
               and coalesce((select has_language_privilege(l.oid, 'usage') from pg_language l where l.lanname = 'plpgsql'),
                            false) as may_try
        """

    /// What finds out about some statements, one behind the other in one transaction; the last answers.
    static func steps(_ statements: [String]) -> [Query] {
        [
            "select set_config('usher.tried', to_jsonb(\(arrayLiteral(statements))::text[])::text, true)",
            Query(file: "catalog/tried_statements.sql"),
            """
            select a.value ->> 'step' as step, a.value ->> 'refusal' as refusal
              from jsonb_array_elements(current_setting('usher.tried')::jsonb) with ordinality as a (value, place)
             order by a.place
            """,
        ]
    }

    /// Finds out what would be refused, without an error in the log of the server: the log is its owner's.
    ///
    /// Nothing is found out where blocks may not be run, or take too long.
    init(
        of statements: [String], asking: ([Query]) throws(PQError) -> Result<Rows, ServerError>
    ) throws(PQError) {
        self.init()
        guard !statements.isEmpty, case .success(let may) = try asking([Self.condition]) else { return }
        do throws(DecodingFailure) { guard try may.only().boolean("may_try") else { return } } catch {
            throw .decoding(error)
        }
        guard case .success(let rows) = try asking(Self.steps(statements)) else { return }
        do throws(DecodingFailure) { try self.init(rows) } catch { throw .decoding(error) }
    }
}

extension ReadTransaction {
    /// What the role may not do of some statements.
    func denials(among statements: [String]) throws(PQError) -> Denials {
        try Denials(of: statements) { steps throws(PQError) in
            try read(Array(steps.suffix(1)), isLast: false, preparing: steps.dropLast())[0]
        }
    }

    /// The same as `describe`, and nothing is sent that the role lacks the rights to have parsed.
    func describePermitted(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        let denied = try denials(among: statements).ofParsing
        var described = try describe(statements.indices.filter { denied[$0] == nil }.map { statements[$0] })[...]
        return statements.indices.map { place in
            denied[place].map { .failure($0) } ?? described.removeFirst()
        }
    }
}
