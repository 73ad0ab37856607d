package import AppFile
package import Asking
package import PQ

package enum AssumedFacts {
    /// Reads assumed facts from a JSON file, or from standard input with `-`; Postgres parses the JSON.
    package static func read(_ path: String, on connection: Connection) throws(Failure) -> Assumptions {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        let text = String(decoding: bytes, as: UTF8.self)
        let transaction = ReadTransaction(on: connection)
        // The type `jsonb` also rejects texts that `json` accepts, so usher checks it first.
        if case .failure(let error) = try transaction.readings(of: [TypedText(text, .jsonb)])[0] {
            throw Failure(.usage, "\(path) is not a JSON object: \(error.message)", state: error.state)
        }
        let members: Query = """
            select f.key, f.value
              from json_each_text(case json_typeof(\(text)::json) when 'object' then \(text)::json end) f
            """
        let rows = try transaction.ask([members])[0]
        var facts: Assumptions = [:]
        for row in rows.rows {
            guard let name = row.values[0].text else { continue }
            guard let value = row.values[1].text else {
                throw Failure(
                    .usage, "\(path): \(name) is null", hint: "remove \(name) from the file, or give it a value")
            }
            facts[name] = value
        }
        if rows.rows.isEmpty, trimmedIsNoObject(text) {
            throw Failure(.usage, "\(path) is not a JSON object", hint: "write an object such as {\"plan\": \"pro\"}")
        }
        return facts
    }

    private static func trimmedIsNoObject(_ text: String) -> Bool { text.first { !$0.isWhitespace } != "{" }
}
