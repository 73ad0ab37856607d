package import Asking
import AppFile
import CommandLine
import Glibc
import PQ

extension AskingRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .wire(let error): Words(error)
        case .invalidApp(let invalid): Words(invalid)
        case .earlyServer(let version):
            Words("this is Postgres \(version)", hint: "usher needs Postgres \(Engine.oldest) or a later one")
        case .otherEngine(let other):
            Words(
                "this is \(other.name), which lacks \(other.lacks)",
                hint: "usher works with Postgres \(Engine.oldest) and later, and with servers built from it")
        case .needsReason(let deed, let doubt):
            Words(
                "a \(deed) in production needs a reason" + (doubt.map { ", and here \($0.sentence)" } ?? ""),
                hint: "add --reason TEXT, and --ticket ID if there is one")
        case .interrupted: Words("interrupted")
        case .unreadable(let path, let code): Words("\(path): \(unsafe String(cString: strerror(code)))")
        case .needsZone(let name, let text, let mistaken):
            Words(
                "\(name): usher can't read \(text), because TZ=\(mistaken) is not a time zone",
                hint: "set TZ to a zone such as Europe/Berlin")
        case .noTime(let name, let error):
            Words(
                "\(name): \(error.message)",
                hint: "write a time such as \(Self.example), or a distance such as `7 days ago`")
        }
    }

    private static let example = "2026-12-01T09:00:00Z"
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

extension Words {
    fileprivate init(_ invalid: InvalidApp) {
        let count = invalid.diagnostics.filter { $0.severity == .error }.count
        self.init(
            count == 1 ? "the app file has a mistake" : "the app file has \(count) mistakes",
            details: invalid.diagnostics.flatMap(\.report))
    }

    /// An error of the wire or the server, in the words of an operator.
    init(_ error: PQError) {
        switch error {
        case .unusableConninfo(let reason):
            self.init(
                "the connection string cannot be used: \(reason)",
                hint: "write a URI, key=value pairs, or the name of a service; see `usher help connection`")
        case .unknownParameter(let name, let known):
            self.init(
                "the connection string has a parameter that libpq does not support: \(name)",
                hint: (didYouMean(Nearest.names(to: name, among: known)).map { $0 + " else " } ?? "")
                    + "remove \(name) and its value from the connection string")
        case .cannotConnect(let unreachable): self.init(unreachable.reason, hint: unreachable.hint)
        case .connectionLost(let reason):
            self.init("the connection was lost: \(reason)", hint: "nothing was repeated; run the command again")
        case .server(let error): self.init(error)
        case .interrupted: self.init("interrupted; usher asked the server to stop")
        case .timedOut(let seconds): self.init("no answer after \(Int(seconds)) s", hint: Self.slowness)
        case .decoding(let failure): self.init("unexpected result: \(failure)")
        case .treacherousPath(let first):
            self.init(
                "the search path contains \(first) before pg_catalog, so names could mean other objects",
                hint: "run `alter role … set search_path` without pg_catalog; Postgres then searches pg_catalog first")
        case .readOnly(let cause): self.init(cause)
        case .misuse(let reason): self.init("unexpected answer of the server: \(reason)")
        }
    }

    /// A session that reads only, and how to get one that does not.
    private init(_ cause: ReadOnlySession) {
        switch cause {
        case .standby:
            self.init(
                "this is a standby server, which is read-only",
                hint: "connect to the primary; of several hosts, target_session_attrs=read-write finds it")
        case .worker(let coordinator):
            self.init(
                "this is a Citus worker, which has only some of the rows; changes need the coordinator",
                hint: ReadOnlySession.way(to: coordinator))
        case .byDefault(let origin):
            let (place, remedy) = origin.words
            self.init("default_transaction_read_only is on \(place), so this session is read-only", hint: remedy)
        }
    }

    /// What helps where something was not read in time.
    private static let slowness =
        "`usher doctor` lists missing indexes; --timeout SECONDS allows more time"

    /// The same where the server ended it, which may have a shorter limit until it is told another.
    private static let cancellation =
        slowness + "; PGOPTIONS='-c statement_timeout=0' removes a limit of the role or the database"

    /// What helps where somebody else holds what is to be read.
    private static let lock =
        """
        another session locks a table, such as a migration or an open transaction: `select relation::regclass, pid \
        from pg_locks where mode = 'AccessExclusiveLock'` lists them; wait until it ends, or allow more time with --timeout SECONDS
        """

    /// What a server refused.
    init(_ error: ServerError) {
        self =
            DatabaseRefusal(error)?.words
            ?? Words(
                error.told, hint: Self.hint(for: error),
                details: [error.isOfUsher ? nil : error.detail].compactMap { $0 })
    }

    /// What helps where a server refused something.
    static func hint(for error: ServerError) -> String? {
        switch error.kind {
        case _ where error.isOfUsher: DatabaseRefusal(error)?.words.hint ?? error.hint
        case _ where error.wasCancelled:
            "another session cancelled the query, for example with pg_cancel_backend(); run the command again"
        case _ where error.state == .queryCanceled: cancellation
        case _ where error.state == .lockNotAvailable: lock
        case .forbidden: error.hint ?? "`usher doctor` lists what this role can't read"
        default: error.searchPathHint ?? error.hint
        }
    }
}

extension ServerError {
    /// What the server says, with what it is about where it says that in another way.
    var told: String {
        guard state == .lockNotAvailable, let table else { return message }
        return "\(table) is locked: \(message)"
    }

    /// What helps where a function does not find what it names; nil where that is not what happened.
    var searchPathHint: String? {
        lacksSearchPath
            ? "a trigger's function needs the app's search_path: set it with "
                + "PGOPTIONS='-c search_path=…', or alter role … set search_path" : nil
    }
}
