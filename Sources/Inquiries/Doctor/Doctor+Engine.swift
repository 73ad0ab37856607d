internal import Catalog
internal import PQ

extension Doctor {
    /// Asks what the server and what stands before it are called, and what follows of that.
    var askingForEngines: Query { Query(file: "catalog/engines.sql", [connection.host]) }

    /// What answers, by name, and what stands in between: a pooler tells itself by a process that is not the server's.
    mutating func checkEngines(_ rows: Rows, _ session: SessionFacts) throws(DecodingFailure) {
        var pooler = Finding.pooler(nil, follows: nil)
        for row in rows.rows {
            let (name, follows) = (try row.text("name"), try row.optionalText("follows"))
            if try row.text("kind") == "pooler" {
                pooler = .pooler(name, follows: follows)
            } else {
                report(.engine(name, follows: follows))
            }
        }
        report(connection.backendPID == session.backend ? .noPooler : pooler)
        if !connection.isPipelining { report(.noPipelines) }
    }
}
