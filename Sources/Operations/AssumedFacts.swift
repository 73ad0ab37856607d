package import AppFile
package import PQ

/// Facts an operator supposes, read from a JSON object.
package enum AssumedFacts {
    /// The members of the object in a file, `-` for standard input; Postgres itself reads the JSON.
    package static func read(_ path: String, on connection: Connection) throws(Failure) -> Assumptions {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        let text = String(decoding: bytes, as: UTF8.self)
        let rows: Rows
        do throws(PQError) {
            rows = try connection.execute(
                """
                select f.key, f.value from pg_catalog.json_each_text(case pg_catalog.json_typeof(\(text)::json)
                       when 'object' then \(text)::json end) f
                """)
        } catch {
            throw Failure(.usage, "\(path) is no JSON object: \(Failure(error).message)")
        }
        var facts: Assumptions = [:]
        for row in rows.rows {
            guard let name = row.values[0].text else { continue }
            guard let value = row.values[1].text else {
                throw Failure(.usage, "\(path): \(name) is null", hint: "leave out what is not known")
            }
            facts[name] = value
        }
        if rows.rows.isEmpty, trimmedIsNoObject(text) { throw Failure(.usage, "\(path) is no JSON object") }
        return facts
    }

    private static func trimmedIsNoObject(_ text: String) -> Bool { text.first { !$0.isWhitespace } != "{" }
}
