internal import Asking
internal import Catalog
internal import PQ

extension Doctor {
    /// Asks what the server and what stands before it are called, and what follows of that.
    var askingForEngines: Query { Query(file: "catalog/engines.sql", [connection.host, connection.port]) }

    /// The name of the server software, and of a pooler in between: its name, or a process that is not the server's,
    /// gives it away.
    mutating func checkEngines(_ rows: Rows, _ session: SessionFacts) throws(DecodingFailure) {
        var pooler: Finding = connection.backendPID == session.backend ? .noPooler : .pooler(nil, follows: nil)
        for row in rows.rows {
            let (name, follows) = (try row.text("name"), try row.optionalText("follows"))
            if try row.text("kind") == "pooler" {
                pooler = .pooler(name, follows: follows)
            } else {
                report(.engine(name, follows: follows))
            }
        }
        report(pooler)
        if !connection.isPipelining { report(.noPipelines) }
    }

    /// The servers of Citus: a read is not of one instant, and needs all of them to answer and to have the roles.
    mutating func checkPlaces(_ rows: Rows, _ transaction: ReadTransaction) throws {
        guard let row = rows.first else { return }
        report(.spread(tables: try row.integer("tables"), nodes: try row.integer("nodes")))
        let patience: Query = "select pg_catalog.set_config('citus.node_connection_timeout', '3000', true)"
        let answers = try transaction.read(
            [
                patience, Query(file: "catalog/other_servers.sql"), "select current_user::text as role",
            ], isLast: false, keepingFirst: true)
        for row in try answers[1].get().rows {
            let (server, remedies) = (try row.text("server"), try row.texts("remedies"))
            if let failure = try row.optionalText("failure") {
                // Another server knows who asks by name alone, and says the name of whom it does not.
                let role = try answers[2].get().only().text("role")
                let isUnknown = failure.contains("\"\(role)\"")
                report(.silent(server: server, because: failure, withoutRole: isUnknown ? role : nil))
            } else if !remedies.isEmpty {
                report(.strangers(server: server, remedies: remedies))
            }
        }
    }

    /// Asks each of the servers whose tables this role may read for one row, and finds those that do not answer.
    ///
    /// Before Postgres 16 nothing ends a call to a server that says nothing at all, so a connection may be lost to that.
    mutating func checkServers(
        of rows: Rows, within seconds: Double, _ open: () throws(Failure) -> Connection
    ) throws(Failure) {
        var asking: Connection?
        for row in rows.rows {
            let (server, path) = try decoding { () throws(DecodingFailure) in
                (try row.text("server"), try row.text("path"))
            }
            if asking?.isAlive != true { asking = try open() }
            // The half of it is for what was asked to be called off.
            asking?.patience = seconds / 2
            let question: [Query] = ["begin read only", Query(unsafe: "select from \(path) limit 1"), "rollback"]
            do throws(PQError) {
                for case .failure(let error)? in [try asking?.pipeline([question], timeout: seconds / 2)[0][1]] {
                    let isOverdue = error.state == .queryCanceled
                    report(
                        isOverdue
                            ? .mute(server: server) : .silent(server: server, because: error.message, withoutRole: nil))
                }
                try asking?.rollbackIfOpen()
            } catch .timedOut {
                report(.mute(server: server))
            } catch {
                throw Failure(error)
            }
        }
    }
}
