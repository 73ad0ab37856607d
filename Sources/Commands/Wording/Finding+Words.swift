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
    /// Variables that stand somewhere.
    static func standing(_ variables: [String]) -> String {
        variables.joined(separator: " and ") + (variables.count == 1 ? " stands" : " stand")
    }

    package var words: FindingWords {
        switch self {
        case .overruledDatabaseURL(let variables):
            FindingWords(
                "DATABASE_URL", "not used: \(Self.standing(variables)) before it",
                remedy: "unset \(variables.joined(separator: " and ")), or name the database with --db")
        case .target(let target):
            FindingWords("target", "\(target.database) on \(target.host), port \(target.port), as \(target.user)")
        case .failed(let unreachable):
            FindingWords(unreachable.topic, unreachable.reason, remedy: unreachable.hint)
        case .connection(let database, let address, let version, let login):
            FindingWords("connection", "\(database) on \(address), Postgres \(version), as \(login)")
        case .transport(let transport, let isEncrypted, let version):
            Self.transport(transport, isEncrypted: isEncrypted, version)
        case .engine(let name, let follows): FindingWords("engine", name + Self.after(follows))
        case .noPooler: FindingWords("pooler", "none: the server itself answers")
        case .pooler(let name, let follows):
            FindingWords(
                "pooler",
                (name ?? "a pooler") + " stands between; every command works through it in transaction mode"
                    + Self.after(follows))
        case .noPipelines:
            FindingWords(
                "pipelines", "each statement waits for the answer to the one before, by USHER_PIPELINE=off")
        case .lostPipelines:
            FindingWords(
                "pipelines", "what stands between loses answers to statements that are sent together",
                remedy: "set USHER_PIPELINE=off, at the price of a round trip a statement; or go round the pooler")
        case .readOnly(let cause): Self.readOnly(cause)
        case .spread(let tables, let nodes):
            FindingWords(
                "servers",
                "Citus: \(tables) of the tables lie on \(nodes) other servers. What is read together is not of one "
                    + "instant; what acts and triggers change there is counted on each of them",
                remedy: "act and delete here; what lies there goes at once, whatever `account delete --batch` says")
        case .silent(let server, _, let role?):
            FindingWords(
                "servers", "\(server) does not know the role \(role), to whom it answers nothing",
                remedy: "a superuser says there: create role \(Identifier(role).quoted) login;")
        case .silent(let server, let reason, nil):
            FindingWords(
                "servers", "\(server) does not answer: \(reason)",
                remedy: "what it keeps can be neither read nor changed until it does")
        case .mute(let server):
            FindingWords(
                "servers", "\(server) does not answer in time, and keeps waiting whoever asks it",
                remedy: "alter server \(Identifier(server).quoted) options (add connect_timeout '3')")
        case .strangers(let server, let remedies):
            FindingWords(
                "servers", "\(server) does not know all operators, to whom it answers nothing",
                remedy: "a superuser says there: " + remedies.map { $0 + ";" }.joined(separator: " "))
        case .clock(0): FindingWords("clock", "this machine and the server agree")
        case .clock(let apart):
            FindingWords(
                "clock", "this machine and the server are \(apart) s apart",
                remedy: "decisions use the server's clock; set this one right to read times correctly")
        case .role(let role, true):
            FindingWords(
                "role", "\(role) is a superuser", remedy: "use a role with no more rights than the work needs")
        case .role(let role, false): FindingWords("role", "\(role) is no superuser")
        case .rowSecurity(let role, let isBypassed):
            FindingWords("row security", isBypassed ? "\(role) sees every row" : "\(role) sees what policies allow")
        case .noTemporaryTables(let database, let role):
            FindingWords(
                "temporary tables", "\(role) may not make any, which large deletions need",
                remedy: "grant temporary on database \(Self.sql(database)) to \(Self.sql(role))")
        case .noCounters:
            FindingWords(
                "statistics", "track_counts is off, so changes cannot be counted by the server",
                remedy: "set track_counts = on")
        case .environment(let environment):
            environment.doubt.map {
                FindingWords(
                    "environment", "counts as production, because \($0.sentence)",
                    remedy: "the owner of the database declares it: `usher install --environment E`")
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
                failure.words.message
                    + (failure.words.details.isEmpty ? "" : ": " + failure.words.details.joined(separator: "; ")),
                remedy: "name one with --app, see `usher app list`, or draft one with `usher app init`")
        case .app(let name, let title, let digest, let without):
            FindingWords(
                "app",
                "\(name), \(title), file \(digest)"
                    + (without.isEmpty
                        ? "" : "; without \(without.joined(separator: ", ")), which this schema does not have"))
        case .missingTables(let tables):
            FindingWords(
                "tables", "missing: \(Self.list(tables))",
                remedy: "what reads them shows as unavailable; correct the app file")
        case .unreadableTables(let tables, let role):
            FindingWords(
                "privileges", "\(role) may not read \(Self.list(tables))",
                remedy: "make it a member of one of the roles that `usher roles sql` grants what they need, and no more"
            )
        case .hiddenRows(let tables, let role):
            FindingWords(
                "row security", "may hide rows of \(Self.list(tables)) from \(role)",
                remedy: "alter role \(Self.sql(role)) bypassrls, or give it a policy USING (true) on each")
        case .readable(let tables, let role):
            FindingWords("privileges", "\(role) may read all \(tables) tables of the app")
        case .appFile(let unchecked):
            FindingWords(
                "app file",
                "every statement of it fits this database"
                    + (unchecked.map { "; \($0.sentence)" } ?? ""))
        case .mistaken(let first, let count, _):
            FindingWords(
                "app file",
                "\(first.diagnostic.place): \(first.diagnostic.message)" + (count > 1 ? ", and \(count - 1) more" : ""),
                remedy: "`usher app check` shows every finding at its place")
        case .noLedger(let isOfSchemas):
            FindingWords(
                "audit", "not installed: reading works, changing is refused",
                remedy: isOfSchemas ? LedgerRefusal.installBeside : Self.install)
        case .otherLedger(let version):
            FindingWords(
                "audit", "installed in version \(version), this program works with \(Ledger.version)",
                remedy: version < Ledger.version ? Self.install : "use a newer usher")
        case .noRecording(let refusal):
            FindingWords(
                "audit", "installed, and changing is refused: \(refusal.words(Wording()).complaint)",
                remedy: refusal.words(Wording()).hint)
        case .unknownSeals: FindingWords("audit", "installed, and how much of it is sealed cannot be read")
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
                    remedy: "\(right.remedy); then run what `usher roles sql` prints, which grants no secret")
            } else {
                FindingWords("operators", "\(right.sentence), and change nothing themselves", remedy: right.remedy)
            }
        case .openPath(let remedies):
            FindingWords(
                "acts",
                "refused: operators may create functions, or did, that acts would run",
                remedy: remedies.joined(separator: " "))
        case .noActs(let app):
            FindingWords("acts", "nothing that \(app) lets operators do is installed", remedy: Self.installThis)
        case .acts(let count, let date): FindingWords("acts", "\(count) of this app file, installed on \(date)")
        case .otherActs(let date):
            FindingWords(
                "acts", "installed are those of another version of this app file, of \(date)", remedy: Self.installThis)
        case .reader(let reader):
            FindingWords(
                "acts", reader.sentence,
                remedy: "of what operators do, current_user is the owner, session_user they")
        case .settings(let names):
            FindingWords(
                "acts", "functions read \(names.joined(separator: ", ")) as an operator may have set it",
                remedy: Self.installThis)
        case .unknownSettings(let functions):
            FindingWords(
                "acts",
                "\(functions.joined(separator: ", ")) reads settings of the session whose names it works out, as an operator may have "
                    + "set them",
                remedy: "name them in its text, and install again")
        default: wordsOfSlowness
        }
    }

    private var wordsOfSlowness: FindingWords {
        switch self {
        case .slowLookUp(let index, let remedy):
            FindingWords(
                "look-ups",
                "\(index.purpose.words) reads all \(index.column.rows) rows of \(index.column.name.qualified)",
                remedy: remedy)
        case .computedAddresses:
            FindingWords(
                "look-ups", "the addresses are computed, so that finding a user by one reads all users",
                remedy: "let @email name columns of tables, or coalesce() of such")
        case .unindexed(let reference):
            FindingWords(
                "indexes",
                "\(reference.table) (\(reference.columns)) refers to \(reference.referenced) without an index, "
                    + "\(reference.rows) rows",
                remedy: reference.index)
        case .moreUnindexed(let count):
            FindingWords("indexes", "\(count) more foreign keys of large tables have no index")
        case .indexes: FindingWords("indexes", "every foreign key of a large table has one")
        default: FindingWords("look-ups", "users are found without reading all of them")
        }
    }

    private static let install = "the owner of the database runs `usher install`"
    private static let installThis = "\(install) with this app file"
    static let isAddress = "an address"

    private static func sql(_ name: String) -> String { Identifier(name).quoted }

    private static func list(_ tables: [Relation]) -> String {
        tables.map { SQLName.path(of: [$0.schema, $0.name]) }.joined(separator: ", ")
    }

    private static func after(_ follows: String?) -> String { follows.map { ": \($0)" } ?? "" }

    private static func readOnly(_ cause: ReadOnlySession) -> FindingWords {
        switch cause {
        case .standby:
            return FindingWords(
                "server", "a standby: it can be read, not changed", remedy: "connect to the primary to change anything")
        case .worker(let coordinator):
            return FindingWords(
                "server",
                "a worker of Citus: it has some of the rows, and what else there is to say is for its coordinator",
                remedy: ReadOnlySession.way(to: coordinator))
        case .byDefault(let origin):
            let (place, remedy) = origin.words
            return FindingWords(
                "server", "default_transaction_read_only is on \(place): it can be read, not changed", remedy: remedy)
        }
    }
}

extension MissingIndex.Purpose {
    fileprivate var words: String {
        switch self {
        case .address: "finding a user by an address"
        case .beginning: "`user find` by a beginning"
        case .anywhere: "`user find` anywhere"
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
