internal import Catalog
internal import PQ

extension Doctor {
    /// Asks what the server and what stands before it are called, and what follows of that.
    var askingForEngines: Query { Query(file: "catalog/engines.sql", [connection.host]) }

    /// What answers, by name, and what stands in between: a pooler tells itself by a process that is not the server's.
    mutating func checkEngines(_ rows: Rows, _ session: SessionFacts) throws(DecodingFailure) {
        var pooler: String?
        for row in rows.rows {
            let name = try row.text("name")
            let follows = try row.optionalText("follows").map { ": \($0)" } ?? ""
            if try row.text("kind") == "pooler" {
                pooler = name + follows
            } else {
                report("engine", .well, name + follows)
            }
        }
        if connection.backendPID == session.backend {
            report("pooler", .well, "none: the server itself answers")
        } else {
            let standing = pooler ?? "a pooler"
            report("pooler", .well, "\(standing) stands between; every command works through it in transaction mode")
        }
        if !connection.isPipelining {
            report("pipelines", .well, "each statement waits for the answer to the one before, by USHER_PIPELINE=off")
        }
    }

    /// What is found where answers to what is sent together do not come.
    package static let lostPipelines = Finding(
        topic: "pipelines", health: .ill,
        message: "what stands between loses answers to statements that are sent together",
        remedy: "set USHER_PIPELINE=off, at the price of a round trip a statement; or go round the pooler")
}
