package import Asking

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
        case reassigned(table: String, toNobody: Bool = false)
        /// A right on a table is missing, perhaps for the work of a trigger; or would be for bringing back what an archive holds.
        case mayNot(MissingRight, by: NamedTrigger? = nil)
        case mayNotRestore(MissingRight)
        /// Rows of a table lose something and stay, and without a key no archive could give it back to them.
        case unkeyed(table: String)
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
            case .foreignSuspect, .foreignTable, .foreignWrite, .required, .reassigned, .unkeyed: .impossible
            case .mayNot, .mayNotRestore, .mayNotInsert: .forbidden
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
        /// By a line that keeps some rows of its table, or by what is said of shared rows.
        case partlyKept(String), shared(String)
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
