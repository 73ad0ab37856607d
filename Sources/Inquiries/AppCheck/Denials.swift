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

extension ReadTransaction {
    /// Finds out what would be refused, without an error in the log of the server: the log is its owner's.
    ///
    /// Nothing is found out where blocks may not be run, or take too long.
    func denials(among statements: [String]) throws(PQError) -> Denials {
        let question: Query = """
            select current_setting('is_superuser') = 'off'
                   and coalesce((select has_language_privilege(l.oid, 'usage') from pg_language l where l.lanname = 'plpgsql'),
                                false) as may_try
            """
        guard !statements.isEmpty, case .success(let may) = try read([question], isLast: false)[0] else {
            return Denials()
        }
        let kept: Query = "select set_config('usher.tried', to_jsonb(\(arrayLiteral(statements))::text[])::text, true)"
        let answers: Query = """
            select a.value ->> 'step' as step, a.value ->> 'refusal' as refusal
              from jsonb_array_elements(current_setting('usher.tried')::jsonb) with ordinality as a (value, place)
             order by a.place
            """
        do throws(DecodingFailure) { guard try may.only().boolean("may_try") else { return Denials() } } catch {
            throw .decoding(error)
        }
        let steps = [kept, Query(file: "catalog/tried_statements.sql")]
        guard case .success(let rows) = try read([answers], isLast: false, preparing: steps)[0] else {
            return Denials()
        }
        do throws(DecodingFailure) { return try Denials(rows) } catch { throw .decoding(error) }
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
