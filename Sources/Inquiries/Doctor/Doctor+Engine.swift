internal import Asking
internal import Catalog
internal import PQ

extension Doctor {
    /// Queries the names of the server software and of a pooler.
    var askingForEngines: Query { Query(file: "catalog/engines.sql", [connection.host, connection.port]) }

    /// Checks the server software and finds a pooler, by its name or by a process id that isn't the server's.
    mutating func checkEngines(_ rows: Rows, _ session: SessionFacts) throws(DecodingFailure) {
        func pooler(_ name: String, _ follows: String) -> Finding {
            .well(
                "pooler",
                "\(name) is between usher and the server; in transaction mode every command works\(follows)")
        }
        var found: Finding =
            connection.backendPID == session.backend
            ? .well("pooler", "none; usher is connected to the server itself") : pooler("a pooler", "")
        for row in rows.rows {
            let name = try row.text("name")
            let follows = try row.optionalText("follows").map { ": \($0)" } ?? ""
            if try row.text("kind") == "pooler" {
                found = pooler(name, follows)
            } else {
                report(.well("engine", name + follows))
            }
        }
        report(found)
        if !connection.isPipelining {
            report(
                .well(
                    "pipelines",
                    "off, because USHER_PIPELINE=off is set: each statement waits for the answer to the previous one"))
        }
    }

    /// Checks the servers of Citus: a query has no common snapshot, and needs all servers to answer and to have the
    /// roles.
    mutating func checkPlaces(_ rows: Rows, _ transaction: ReadTransaction) throws {
        guard let row = rows.first else { return }
        report(
            .doubtful(
                "servers",
                "Citus stores \(try row.integer("tables")) tables on \(try row.integer("nodes")) other servers. One read "
                    + "can mix several instants; usher counts changes on each server",
                remedy: "make changes on this server; `account delete` also deletes rows on the other servers"))
        let patience: Query = "select pg_catalog.set_config('citus.node_connection_timeout', '3000', true)"
        let answers = try transaction.read(
            [
                patience, Query(file: "catalog/other_servers.sql"), "select current_user::text as role",
            ], isLast: false, keepingFirst: true)
        for row in try answers[1].get().rows {
            let (server, remedies) = (try row.text("server"), try row.texts("remedies"))
            if let failure = try row.optionalText("failure") {
                // Another server knows the role only by its name, and its error contains an unknown one.
                let role = try answers[2].get().only().text("role")
                let isUnknown = failure.contains("\"\(role)\"")
                report(
                    isUnknown
                        ? .ill(
                            "servers",
                            "\(server) does not have the role \(role), so that server refuses queries of this role",
                            remedy:
                                "ask a superuser to run in this database: create role \(Identifier(role).quoted) login;"
                        )
                        : .silent(server, because: failure))
            } else if !remedies.isEmpty {
                report(
                    .ill(
                        "servers",
                        "\(server) does not have the roles of all operators, so that server refuses their queries",
                        remedy: "ask a superuser to run in this database: "
                            + remedies.map { $0 + ";" }.joined(separator: " ")))
            }
        }
    }

    /// Queries one row of each server whose tables this role can read, and reports servers without an answer.
    ///
    /// Before Postgres 16, a call to a silent server can't be ended, so this connection may be lost.
    mutating func checkServers(
        of rows: Rows, within seconds: Double, _ open: () throws(Failure) -> Connection
    ) throws(Failure) {
        var asking: Connection?
        for row in rows.rows {
            let (server, path) = try decoding { () throws(DecodingFailure) in
                (try row.text("server"), try row.text("path"))
            }
            if asking?.isAlive != true { asking = try open() }
            // Half of the time is left for the cancellation.
            asking?.patience = seconds / 2
            let question: [Query] = ["begin read only", Query(unsafe: "select from \(path) limit 1"), "rollback"]
            do throws(PQError) {
                for case .failure(let error)? in [try asking?.pipeline([question], timeout: seconds / 2)[0][1]] {
                    let isOverdue = error.state == .queryCanceled
                    report(isOverdue ? .mute(server) : .silent(server, because: error.message))
                }
                try asking?.rollbackIfOpen()
            } catch .timedOut {
                report(.mute(server))
            } catch {
                throw Failure(error)
            }
        }
    }
}
