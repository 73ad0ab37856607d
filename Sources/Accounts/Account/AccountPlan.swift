internal import AppFile
package import Asking
package import PQ

/// What a deletion would do, to whom, and what stands in its way.
package struct AccountPlan: Sendable {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, anonymise, keep }

    /// What becomes of some rows of a table.
    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The way from the root to the rows.
        package let via: String
        /// How many of them also point at another user.
        package let collateral: Int
        /// Whether an index serves every search for them.
        package let isIndexed: Bool
        /// Why they stay.
        package let why: Reason?
        /// How many of those that go stand in what others have, and are nobody else's.
        package internal(set) var seen = 0
        /// Whether those that others share may stay, without what they refer to.
        package internal(set) var mayStay = true

        /// Whether they stay since an operator said so.
        var isOnRequest: Bool { if case .onRequest = why { true } else { false } }
    }

    /// Why rows stay: in the words of the app file, since a line or an operator said so of some columns, or since rows of other
    /// tables refer to them that stay.
    package enum Reason: Sendable, Hashable {
        case declared(String)
        case needed(by: [String])
        case mentioned(columns: [String])
        case onRequest(columns: [String])

        /// What it says in the words of others, by which reasons are put in order.
        var given: String {
            switch self {
            case .declared(let words): words
            case .needed(let tables): tables.joined(separator: ", ")
            case .mentioned(let columns), .onRequest(let columns): columns.joined(separator: ", ")
            }
        }
    }

    /// Rows to which the same happens, for whoever decides.
    package struct Group: Sendable {
        package enum Kind: String, Sendable, CaseIterable { case alone, seen, shared, detached, kept }

        package let kind: Kind
        /// The tables, those with the most rows first.
        package let tables: [(name: String, rows: Int)]
        /// Why they stay, where something says so.
        package let why: Reason?
        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    /// What triggers are going to write, as far as their sources tell, and what the account adds to the app's own queue;
    /// nobody knows beforehand how many rows.
    package struct Written: Sendable, Hashable {
        /// What becomes of rows about the person: they stay, they are taken away again, or would be if a key told them from
        /// those that triggers change.
        package enum Fate: Sendable { case stay, go, untold }

        package let table: String
        package let fate: Fate
        package var isRemoved: Bool { fate == .go }
        /// What it is for, of what the account adds; nil for the work of triggers.
        package let why: String?
    }

    /// Rows that a deletion in batches takes in its last transaction, which locks them all at once.
    package struct Last: Sendable, Hashable {
        package enum Why: Sendable, Hashable {
            /// They are the users themselves.
            case users
            /// Some of the table are overwritten, and found by what they refer to.
            case overwritten
            /// They lie on other servers.
            case elsewhere
            /// A column refers to them that no line settles.
            case referredTo(String)
            /// Nothing but an answer says that they go.
            case answered
            /// They go with what refers to them, if nobody else's rows do; and those that refer so, of a table.
            case owned, owner(of: String)
            /// They may refer to each other in a circle.
            case round
            /// They refer to each other in chains, of which one row is free at a time.
            case chained
            /// Rows refer to them that stay, and lose that only in the end.
            case heldByStaying
        }

        package let table: String
        package let rows: Int
        /// Whether there are no more than so many, and perhaps none.
        package let isMost: Bool
        package let why: Why
    }

    /// The column that the users are values of, `auth.users.id`.
    package let root: String
    /// The same as SQL reads it.
    package let rootPath: String
    package let users: [String]
    /// What the app file says about the user, when it is one.
    package internal(set) var facts: Row?
    /// Who the only one of them is.
    package let person: Person?
    /// The addresses of the users, any of which confirms the deletion.
    package let addresses: [String]
    package let environment: String
    /// Whether the users' own rows are gone already.
    package let isRootGone: Bool
    package let entries: [Entry]
    /// The columns that hold the person although nothing declares it.
    let held: HeldColumns
    /// The columns that could hold somebody and are not looked into, for what that would take.
    package let unsearched: [String]
    package let files: StoredFiles
    /// What to know beforehand.
    package let warnings: [Remark]
    /// What makes the deletion impossible as things stand.
    package let obstacles: [Obstacle]
    /// The tables that triggers are going to write to, and those that the account adds to.
    package let written: [Written]
    /// Triggers that reach outside of the transaction.
    package let outsideEffects: [NamedTrigger]
    /// Those that the test of an archive sets off; none where no archive is written.
    package let effectsOfArchive: [NamedTrigger]
    /// What the operator said about rows that also point at another user.
    package let collateralAnswer: AccountAnswer?
    /// What goes in the last transaction, where the others go in batches.
    package internal(set) var last: [Last] = []
    /// Whether it goes in parts, which no archive holds.
    package internal(set) var isInParts = false
    /// Names the plan: equal plans of an equal schema have equal ones.
    package let fingerprint: String

    /// Columns that will hold the person still: nobody answered for them, or what was answered cannot be done.
    package var suspects: [HeldColumn] { held.open }
    /// Those of them that nobody answered for.
    package var unanswered: [HeldColumn] { held.unanswered }

    /// The rows that go.
    package var total: Int { entries.filter { $0.policy == .delete }.reduce(0) { $0 + $1.rows } }
    package var collateral: Int { entries.reduce(0) { $0 + $1.collateral } }
    /// Whether anything holds the person that nobody classified.
    package var isUnclassified: Bool { !suspects.isEmpty }

    /// All that stands in the way, with what nobody answered for; columns of one name each, or as one thing.
    package func inTheWay(together: Bool = false) -> [Obstacle] {
        var all = obstacles
        let alike = together ? Array(Dictionary(grouping: unanswered, by: \.likeness).values) : unanswered.map { [$0] }
        all += alike.sorted { ($1.count, $0[0].path) < ($0.count, $1[0].path) }.map { .unsettled($0) }
        // Of those that a line settles it gives the reason.
        let open = entries.filter { $0.collateral > 0 && $0.why == nil }
        if !open.isEmpty, collateralAnswer == nil { all.append(.collateral(open)) }
        return all
    }

    /// The rows by what becomes of them.
    package var groups: [Group] {
        Group.Kind.allCases.flatMap { kind -> [Group] in
            var sums: [Reason?: [String: Int]] = [:]
            for entry in entries {
                let rows = entry.rows(of: kind)
                if rows > 0 { sums[kind == .kept ? entry.why : nil, default: [:]][entry.table, default: 0] += rows }
            }
            return sums.map { why, tables in
                let inOrder = tables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                return Group(kind: kind, tables: inOrder.map { ($0.key, $0.value) }, why: why)
            }.sorted { ($1.rows, $0.why?.given ?? "") < ($0.rows, $1.why?.given ?? "") }
        }
    }

    /// The number of rows by table under a policy.
    package func rows(under policy: Policy) -> [(table: String, rows: Int)] {
        var sums: [String: Int] = [:]
        for entry in entries where entry.policy == policy { sums[entry.table, default: 0] += entry.rows }
        return sums.sorted { $0.key < $1.key }.map { (table: $0.key, rows: $0.value) }
    }
}

extension AccountPlan.Entry {
    /// How many of the rows are of a group.
    fileprivate func rows(of kind: AccountPlan.Group.Kind) -> Int {
        switch (kind, policy) {
        case (.alone, .delete): rows - collateral - seen
        case (.seen, .delete): seen
        case (.shared, .delete): collateral
        case (.detached, .detach), (.detached, .anonymise), (.kept, .keep): rows
        default: 0
        }
    }
}

extension AccountPlan {
    /// Something because of which nothing can be deleted as things stand.
    package enum Obstacle: Sendable, Hashable {
        /// The app file refuses, in these words.
        case refused(FilledSentence)
        /// Rows of another server, which nobody here counts; they may stay by an answer, or by a line of the app file.
        case foreignSuspect(HeldColumn)
        case foreignTable(path: String, partOf: String?)
        /// Rows that a trigger adds to a table of another server, or changes there; perhaps only in some parts of a table.
        case foreignWrite(path: String, by: NamedTrigger, adds: Bool, isPart: Bool = false)
        /// A column is to lose what it refers to, and must not.
        case required(Required)
        /// Rows that others share are to go over to somebody who goes, or to nobody who is there, by the line about a table.
        /// To a row of which other table than the users', where they refer to that.
        case reassigned(table: String, to: String? = nil, toNobody: Bool = false)
        /// A right on a table is missing, perhaps for the work of a trigger.
        case mayNot(MissingRight, by: NamedTrigger? = nil)
        /// Of what the account adds to the app's own queue, for this.
        case mayNotInsert(table: String, why: String)
        /// Nobody said what becomes of columns; of several only where the same is to be said of them.
        case unsettled([HeldColumn])
        /// Nobody said what becomes of rows that others share.
        case collateral([Entry])

        package enum Code: String, Sendable { case refused, impossible, forbidden, unsettled, collateral }

        /// By which programs know it.
        package var code: Code {
            switch self {
            case .refused: .refused
            case .foreignSuspect, .foreignTable, .foreignWrite, .required, .reassigned: .impossible
            case .mayNot, .mayNotInsert: .forbidden
            case .unsettled: .unsettled
            case .collateral: .collateral
            }
        }
    }

    /// A column that must not be empty, and whose row would have to stay without what it refers to.
    package enum Required: Sendable, Hashable {
        /// By a line of the app file that detaches it, or keeps its table.
        case detached(String), kept(String)
        /// By an answer for it, which could be another one: not to touch the users who are named there.
        case answered(path: String, isOfUsers: Bool)
        /// By a line that keeps some rows of its table, or by what is said of shared rows, which no answer changes where a line
        /// says it.
        case partlyKept(String), shared(String, isByLine: Bool)
    }

    /// What to know before a deletion.
    package enum Remark: Sendable, Hashable {
        /// In the words of the app file.
        case told(FilledSentence)
        /// A foreign key that says so, and whose rows go all the same, since the column must not be empty.
        case cannotBeEmptied(String, toDefault: Bool)
        /// A foreign key whose searches take long; an index is built first, or could be.
        case unindexed(String, parents: Int, rows: Int, seconds: Int, isBuilt: Bool)
        case reachesOutside(NamedTrigger)
        case mayRefuse(NamedTrigger)
        case asksWhoActs(NamedTrigger)
        /// Tables without a key in which triggers change rows: no archive holds what they said.
        case unarchived([String])
        /// A trigger may change what this role may not.
        case triggerMayNot(MissingRight, NamedTrigger)
        /// Columns that this role may not see.
        case hidden([String])
        /// Columns of tables in which a line keeps what triggers write: what stood there before is not looked into, and stays.
        case standing([String])
        /// Columns that name the person in rows of other users.
        case untouched([String])
        /// Tables whose texts are searched only behind the deletion, and columns that no index serves.
        case searchedLate([String]), searchedSlowly([String])
        /// What the app file names and this database does not have.
        case missing(String)
        /// The user's own row is gone already, and what is left is found by the key.
        case rootGone(String)
        /// Access tokens that were issued live on.
        case tokensLive
    }

    /// How the world has moved since a plan, further than rows come and go by the minute.
    package enum Move: Sendable, Hashable {
        /// Something else happens to a table.
        case table(String, Policy)
        case total(Int, planned: Int)
        case shared(Int, planned: Int)
        case obstacle(Obstacle)
    }
}
