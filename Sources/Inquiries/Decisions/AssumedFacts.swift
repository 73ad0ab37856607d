package import AppFile
package import Asking
package import PQ

package enum AssumedFacts {
    /// Reads assumed facts from a JSON file, or from standard input with `-`; Postgres parses the JSON.
    package static func read(_ path: String, on connection: Connection) throws(Failure) -> Assumptions {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        let text = String(decoding: bytes, as: UTF8.self)
        let query: Query = "select f.key, f.value from jsonb_each_text(\(text)::jsonb) f"
        let rows: Rows
        switch try failing(try ReadTransaction(on: connection).read([query], isLast: true))[0] {
        case .success(let members): rows = members
        case .failure(let error) where error.isMisfit:
            throw Failure(
                .usage, "\(path) is not a JSON object: \(error.message)",
                hint: "write an object such as {\"plan\": \"pro\"}", state: error.state)
        case .failure(let error): throw Failure(error)
        }
        var facts: Assumptions = [:]
        for row in rows.rows {
            guard let name = row.values[0].text else { continue }
            guard let value = row.values[1].text else {
                throw Failure(
                    .usage, "\(path): \(name) is null", hint: "remove \(name) from the file, or give it a value")
            }
            facts[name] = value
        }
        return facts
    }
}
