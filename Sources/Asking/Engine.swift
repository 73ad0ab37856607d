package import PQ

/// The server software, recognized from the connection without a query.
package enum Engine: Sendable, Hashable {
    /// Postgres or a product built on it, with the major version.
    case postgres(Int)
    /// A server with the protocol of Postgres that lacks features which actions need.
    case other(Other)

    /// The servers that use the protocol of Postgres but lack features which actions need.
    package enum Other: Sendable { case cockroachDB, yugabyteDB, auroraDSQL }

    /// The oldest version of Postgres with all features that actions need.
    package static let oldest = 14

    /// Recognizes the server by its host name and by the parameters that it sends when a session begins.
    package init(host: String, version: Int, parameter: (String) -> String?) {
        if parameter("crdb_version") != nil {
            self = .other(.cockroachDB)
        } else if parameter("server_version")?.contains("-YB-") == true {
            self = .other(.yugabyteDB)
        } else if host.hasSuffix(".on.aws"), host.split(separator: ".").contains(where: { $0.hasPrefix("dsql") }) {
            self = .other(.auroraDSQL)
        } else {
            self = .postgres(version / 10_000)
        }
    }
}

extension Connection {
    /// Throws if the server lacks features that actions need.
    package func requireCapableEngine() throws(Failure) {
        switch Engine(host: host, version: serverVersion, parameter: parameterStatus) {
        case .postgres(let version) where version < Engine.oldest:
            throw Failure(
                .refused, "this server runs Postgres \(parameterStatus("server_version") ?? "\(version)")",
                nothing: .done,
                hint: "usher needs Postgres \(Engine.oldest) or later")
        case .postgres: return
        case .other(let other):
            throw Failure(
                .refused, "this server is \(other.name), which lacks \(other.lacks)", nothing: .done,
                hint: "usher works with Postgres \(Engine.oldest) and later, and with servers built from it")
        }
    }
}

extension Engine.Other {
    fileprivate var name: String {
        switch self {
        case .cockroachDB: "CockroachDB"
        case .yugabyteDB: "YugabyteDB"
        case .auroraDSQL: "Aurora DSQL"
        }
    }

    fileprivate var lacks: String {
        switch self {
        case .cockroachDB: "advisory locks and deferrable constraints"
        case .yugabyteDB: "the system columns that identify rows"
        case .auroraDSQL: "triggers, foreign keys and functions in PL/pgSQL"
        }
    }
}
