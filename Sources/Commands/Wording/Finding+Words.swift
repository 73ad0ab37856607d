import AppFile
import Asking
import Catalog
package import Inquiries
import Ledger
import PQ

/// A finding in words: what it is about, what is so, and what helps where it is not well.
package struct FindingWords: Sendable, Hashable {
    package let topic: String
    package let message: String
    package let remedy: String?

    init(_ topic: String, _ message: String, remedy: String? = nil) {
        self.topic = topic
        self.message = message
        self.remedy = remedy
    }
}

extension Finding {
    /// Variables that are set, with their verb.
    static func standing(_ variables: [String]) -> String {
        variables.joined(separator: " and ") + (variables.count == 1 ? " is" : " are")
    }

    package var words: FindingWords {
        switch self {
        case .overruledDatabaseURL(let variables):
            FindingWords(
                "DATABASE_URL", "not used, because \(Self.standing(variables)) set",
                remedy: "unset \(variables.joined(separator: " and ")), or choose the database with --db")
        case .target(let target):
            FindingWords("target", "\(target.database) on \(target.host), port \(target.port), as \(target.user)")
        case .failed(let unreachable):

            FindingWords(
                unreachable.topic,
                unreachable.reason.split(whereSeparator: \.isNewline).map(\.trimmed).joined(separator: " "),
                remedy: unreachable.hint)
        case .connection(let database, let address, let version, let login):
            FindingWords("connection", "\(database) on \(address), Postgres \(version), as \(login)")
        case .transport(let transport, let isEncrypted, let version):
            Self.transport(transport, isEncrypted: isEncrypted, version)
        case .engine(let name, let follows): FindingWords("engine", name + Self.after(follows))
        case .noPooler: FindingWords("pooler", "none; usher is connected to the server itself")
        case .pooler(let name, let follows):
            FindingWords(
                "pooler",
                (name ?? "a pooler")
                    + " is between usher and the server; in transaction mode every command works"
                    + Self.after(follows))
        case .noPipelines:
            FindingWords(
                "pipelines",
                "off, because USHER_PIPELINE=off is set: each statement waits for the answer to the previous one")
        case .lostPipelines:
            FindingWords(
                "pipelines", "the pooler loses answers to statements that are sent together",
                remedy: "set USHER_PIPELINE=off, which costs a round trip per statement; or connect without the pooler")
        case .readOnly(let cause): Self.readOnly(cause)
        case .spread(let tables, let nodes):
            FindingWords(
                "servers",
                "Citus stores \(tables) tables on \(nodes) other servers. One read can mix "
                    + "several instants; usher counts changes on each server",
                remedy: "make changes on this server; `account delete` also deletes the rows on the others")
        case .silent(let server, _, let role?):
            FindingWords(
                "servers", "\(server) does not have the role \(role), so it refuses its queries",
                remedy: "ask a superuser to run there: create role \(Identifier(role).quoted) login;")
        case .silent(let server, let reason, nil):
            FindingWords(
                "servers", "\(server) does not answer: \(reason)",
                remedy: "its rows can't be read or changed until it answers")
        case .mute(let server):
            FindingWords(
                "servers", "\(server) does not answer in time, and queries wait for it",
                remedy: "alter server \(Identifier(server).quoted) options (add connect_timeout '3')")
        case .strangers(let server, let remedies):
            FindingWords(
                "servers", "\(server) does not have the roles of all operators, so it refuses their queries",
                remedy: "ask a superuser to run there: " + remedies.map { $0 + ";" }.joined(separator: " "))
        case .clock(0): FindingWords("clock", "this machine and the server have the same time")
        case .clock(let apart):
            FindingWords(
                "clock", "this machine and the server differ by \(apart) s",
                remedy: "decisions use the server's clock; correct this machine's clock to read times correctly")
        case .role(let role, true):
            FindingWords(
                "role", "\(role) is a superuser", remedy: "use a role with only the rights that you need")
        case .role(let role, false): FindingWords("role", "\(role) is not a superuser")
        case .rowSecurity(let role, let isBypassed):
            FindingWords(
                "row security", isBypassed ? "\(role) sees every row" : "\(role) sees the rows that policies allow")
        case .noTemporaryTables(let database, let role):
            FindingWords(
                "temporary tables", "\(role) can't create any, and large deletions need them",
                remedy: "grant temporary on database \(Self.sql(database)) to \(Self.sql(role))")
        case .noCounters:
            FindingWords(
                "statistics", "track_counts is off, so the server does not count changes",
                remedy: "set track_counts = on in postgresql.conf, and reload")
        case .environment(let environment):
            environment.doubt.map {
                FindingWords(
                    "environment", "counts as production, because \($0.sentence)",
                    remedy: "ask the database owner to declare it: `usher install --environment E`")
            } ?? FindingWords("environment", environment.name)
        default: wordsOfApp
        }
    }

    /// Of what is said about the app, the audit and what is slow.
    private var wordsOfApp: FindingWords {
        switch self {
        case .noApp(let failure):
            FindingWords(
                "app",
                failure.message
                    + (failure.details.isEmpty ? "" : ": " + failure.details.joined(separator: "; ")),
                remedy: failure.hint ?? "draft one: `usher app init`")
        case .app(let name, let title, let digest, let without):
            FindingWords(
                "app",
                "\(name), \(title), file \(digest)"
                    + (without.isEmpty
                        ? "" : "; without \(without.joined(separator: ", ")), which this schema does not have"))
        case .missingTables(let tables):
            FindingWords(
                "tables", "missing: \(Self.list(tables))",
                remedy: "correct the app file; the panels and decisions that read these tables are unavailable")
        case .unreadableTables(let tables, let role):
            FindingWords(
                "privileges", "\(role) can't read \(Self.list(tables))",
                remedy: "grant it usher_support, usher_admin or usher_engineer; `usher roles sql` prints the grants"
            )
        case .hiddenRows(let tables, let role):
            FindingWords(
                "row security", "can hide rows of \(Self.list(tables)) from \(role)",
                remedy: "alter role \(Self.sql(role)) bypassrls, or give it a policy USING (true) on each")
        case .readable(let tables, let role):
            FindingWords("privileges", "\(role) can read all \(tables) tables of the app")
        case .appFile(let unchecked):
            FindingWords(
                "app file",
                "every statement works in this database"
                    + (unchecked.map { "; \($0.sentence)" } ?? ""))
        case .mistaken(let first, let count, _):
            FindingWords(
                "app file",
                "\(first.diagnostic.place): \(first.diagnostic.message)" + (count > 1 ? ", and \(count - 1) more" : ""),
                remedy: "`usher app check` shows every finding with its line")
        case .noLedger(let isOfSchemas):
            FindingWords(
                "audit", "not installed: you can read, but not change anything",
                remedy: isOfSchemas ? Ledger.installBeside : Self.install)
        case .otherLedger(let version):
            FindingWords(
                "audit", "installed with version \(version), but this program needs version \(Ledger.version)",
                remedy: version < Ledger.version ? Self.install : "use a newer usher")
        case .noRecording(let refusal):
            FindingWords(
                "audit", "installed, but changes are refused: \(refusal.message)", remedy: refusal.hint)
        case .unknownSeals: FindingWords("audit", "installed; the number of sealed operations can't be read")
        case .ledger(let version, let unsealed):
            FindingWords(
                "audit",
                "installed, version \(version), "
                    + (unsealed == 0 ? "every operation is sealed" : "\(unsealed) operations not sealed yet"))
        case .lateSealing(let late): FindingWords("audit", late.sentence, remedy: late.remedy)
        case .held(let right):
            if case .secret = right.subject {
                FindingWords(
                    "operators", right.sentence,
                    remedy: "\(right.remedy); then run the output of `usher roles sql`, which grants no secrets")
            } else {
                FindingWords(
                    "operators", "\(right.sentence), but operators should only change data through usher",
                    remedy: right.remedy)
            }
        case .openPath(let remedies):
            FindingWords(
                "acts",
                "no action runs, because operators can create functions on its search path",
                remedy: remedies.joined(separator: " "))
        case .noActs(let app):
            FindingWords("acts", "no action of \(app) is installed", remedy: Self.installThis)
        case .acts(let count, let date): FindingWords("acts", "\(count) of this app file, installed on \(date)")
        case .otherActs(let date):
            FindingWords(
                "acts", "another version of this app file is installed, from \(date)", remedy: Self.installThis)
        case .reader(let reader):
            FindingWords(
                "acts", reader.sentence,
                remedy: "in an action, current_user is the owner and session_user is the operator")
        case .settings(let names):
            FindingWords(
                "acts", "functions read \(names.joined(separator: ", ")) which an operator can set",
                remedy: Self.installThis)
        case .unknownSettings(let functions):
            FindingWords(
                "acts",
                "\(functions.joined(separator: ", ")) reads settings whose names it computes; an operator "
                    + "can change them",
                remedy: "write the names of the settings as constants, and run `usher install` again")
        default: wordsOfSlowness
        }
    }

    private var wordsOfSlowness: FindingWords {
        switch self {
        case .slowLookUp(let index, let remedy):
            FindingWords(
                "look-ups",
                "\(index.purpose.words) reads all \(index.column.rows) rows, because no index covers \(index.column.name.qualified)",
                remedy: remedy)
        case .computedAddresses:
            FindingWords(
                "look-ups", "finding a user by email reads all users, because the email is computed",
                remedy: "use table columns, or coalesce() of table columns, in @email")
        case .unindexed(let reference):
            FindingWords(
                "indexes",
                "\(reference.table) (\(reference.columns)) refers to \(reference.referenced) without an index, "
                    + "\(reference.rows) rows",
                remedy: reference.index)
        case .moreUnindexed(let count):
            FindingWords("indexes", "\(count) more foreign keys of large tables have no index")
        case .indexes: FindingWords("indexes", "every foreign key of a large table has an index")
        default: FindingWords("look-ups", "every search for a user uses an index")
        }
    }

    private static let install = "the owner of the database runs `usher install`"
    private static let installThis = "\(install) with this app file"
    static let isAddress = "an email"

    private static func sql(_ name: String) -> String { Identifier(name).quoted }

    private static func list(_ tables: [Relation]) -> String {
        tables.map { SQLName.path(of: [$0.schema, $0.name]) }.joined(separator: ", ")
    }

    private static func after(_ follows: String?) -> String { follows.map { ": \($0)" } ?? "" }

    private static func readOnly(_ cause: ReadOnlySession) -> FindingWords {
        switch cause {
        case .standby:
            return FindingWords(
                "server", "a standby server, which is read-only", remedy: "connect to the primary to change anything")
        case .worker(let coordinator):
            return FindingWords(
                "server",
                "a Citus worker, which has only some of the rows",
                remedy: ReadOnlySession.way(to: coordinator))
        case .byDefault(let origin):
            let (place, remedy) = origin.words
            return FindingWords(
                "server", "default_transaction_read_only is on \(place): the session is read-only", remedy: remedy)
        }
    }
}

extension MissingIndex.Purpose {
    fileprivate var words: String {
        switch self {
        case .address: "finding a user by email"
        case .beginning: "`user find` by the beginning of a text"
        case .anywhere: "`user find` by any part of a text"
        }
    }
}

extension AddressColumn.Name {
    /// The column with its table and schema.
    fileprivate var qualified: String { "\(schema).\(table).\(expression)" }
}

extension Diagnostic {
    /// The file, the line and the column.
    fileprivate var place: String {
        let (line, column) = file.position(of: offset)
        return "\(file.name):\(line):\(column)"
    }
}
