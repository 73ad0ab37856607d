package import PQ

/// Recognizes servers that use the Postgres protocol but lack features of Postgres.
package enum Engine {
    /// The oldest version of Postgres with all features that actions need.
    package static let oldest = 14

    /// The name and the missing features of a server that only imitates Postgres; nil for Postgres and its derivatives.
    package static func foreign(host: String, parameter: (String) -> String?) -> (name: String, lacks: String)? {
        if parameter("crdb_version") != nil { return ("CockroachDB", "advisory locks and deferrable constraints") }
        if parameter("server_version")?.contains("-YB-") == true {
            return ("YugabyteDB", "the system columns that identify rows")
        }
        if host.hasSuffix(".on.aws"), host.split(separator: ".").contains(where: { $0.hasPrefix("dsql") }) {
            return ("Aurora DSQL", "triggers, foreign keys and functions in PL/pgSQL")
        }
        return nil
    }
}

extension Connection {
    /// Throws if the server lacks features that actions need.
    package func requireCapableEngine() throws(Failure) {
        if let (name, lacks) = Engine.foreign(host: host, parameter: parameterStatus) {
            throw Failure(
                .refused, "this server is \(name), which lacks \(lacks)", nothing: .done,
                hint: "usher works with Postgres \(Engine.oldest) and later, and with servers built from it")
        }
        let version = serverVersion / 10_000
        if version >= Engine.oldest { return }
        throw Failure(
            .refused, "this server runs Postgres \(parameterStatus("server_version") ?? "\(version)")", nothing: .done,
            hint: "usher needs Postgres \(Engine.oldest) or later")
    }
}
