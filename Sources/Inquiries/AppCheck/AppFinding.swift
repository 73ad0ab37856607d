package import AppFile
package import PQ

/// Something wrong, or doubtful, with an app file for a database.
package struct AppFinding: Sendable, Hashable {
    package let mistake: AppMistake
    package let place: App.Place
    /// What was probably meant by a name.
    package internal(set) var meant: String?
    /// Where else the same is missing.
    package internal(set) var others: [App.Place] = []
    /// What it comes of, where several findings may come of one mistake.
    var cause: Cause?

    /// A mistake where the file makes it.
    package init(_ mistake: AppMistake, at place: App.Place) { self.init(mistake, at: place, meant: nil) }

    init(_ mistake: AppMistake, at place: App.Place, meant: String? = nil, cause: Cause? = nil) {
        (self.mistake, self.place, self.meant, self.cause) = (mistake, place, meant, cause)
    }

    package var severity: Diagnostic.Severity { mistake.severity }
}

/// What can be wrong with an app file for a database.
package enum AppMistake: Sendable, Hashable {
    /// What the file says wrong by itself.
    case ofFile(Diagnostic)
    /// What Postgres objects to, in a statement, or in what a directive names.
    case statement(Objection)
    case name(directive: String, Objection)
    /// A select without a column that is asked of it, or with too many or too few.
    case noColumn(String)
    case shape(columns: Int, wanted: [String])
    /// A column of a type that its place is not for.
    case kind(of: ShapedColumn)
    /// A condition that comes to something that does not hold or not.
    case noCondition(type: String)
    /// Members whose two columns stand the other way round, or one of which is no key of what it should be.
    case turnedMembers(of: String)
    case member(of: String, type: String, wanted: String)
    /// A column that is known to be the key of something else.
    case strange(to: String, column: String, wanted: String)
    /// What is compared, in a join or with a parameter, and is known to mean two things.
    case apart(String, String)
    /// A promise about one answer of a decision names it by a column of another type, so that it can never be kept.
    case expectedApart(decision: String, column: String, type: String, per: String, wanted: String)
    /// Bounds of what is no number.
    case bounds(of: String, type: String, ClosedRange<Int>)
    /// A fact that nobody has: in a sentence, in the address of a page, or given a meaning.
    case noFact(String)
    case noFactOfLink(title: String, String)
    case noFactToMean(String)
    case unmet(requirement: String)
    /// What a statement says of its subjects says nothing of the rows that it changes.
    case gate
    /// A refusal of deletions that holds of everybody.
    case refusesAll
    /// A statement that would change another user than the one it is asked about.
    case reachesOthers(of: String, other: String)
    /// One that would write rows of another user, of whom it says nothing.
    case reachesRows(of: String, other: String, table: String)
    /// What may be missing, is, and would be read by nothing.
    case unreadOptional(String)
    /// The key that several rows of a select have that says one thing of each user.
    case repeatedKey(of: String, key: String, takesSeveral: Bool)
    /// What an example assumes and nothing knows.
    case noAssumption(String)
    /// Secrets that one place shows, and how many others show them too.
    case shownSecrets([String], others: Int)
    /// A secret that a statement reads which operators run themselves, so that they would need a grant.
    case readSecret(String)
    /// Columns that are called like secrets, and that no line speaks of.
    case undeclaredSecrets([String])
    /// The same of columns whose values look like secrets.
    case seenSecrets([String], others: Int)
    /// What this role may not read; nothing of that is the file's fault.
    case unread(message: String, others: Int)
    case writing(function: String)
    /// A function of which nobody can tell from outside what it does.
    case opaque(function: String)
    /// Columns no value of which is ever the same, and how they could be compared.
    case incomparable(from: String, to: String, fromType: String, toType: String, spelled: String?)
    case impossible(column: String, value: String, allowed: [String])
    case unmentioned(decision: String, column: String, values: [String])
    /// Lines of an account that no deletion could follow.
    case mustNotBeEmpty(String)
    /// Columns that must hold something, and that a change says nothing of, or what may be left out.
    case leftOut([String])
    case mayBeEmpty(column: String, parameter: String)
    case cannotBeWritten(String)
    /// A column is to be overwritten in a row that goes.
    case goesAnyway(column: String)
    /// Rows of a table refer to what is to be overwritten, and do not follow it.
    case heldFast(column: String, by: String)
    case cannotOutlive(column: String, table: String)
    case cannotStay(table: String, root: String)
    case wayCannotBeEmpty(column: String, table: String)
    case wayLeadsNowhere(String)
    /// An answer for a column of which nothing says what it refers to.
    case answersForNothing(String)
    case ownsNothing(column: String, target: String)
    case ownsUsers(String)
    /// Shared rows go over to somebody who is no user.
    case noHeir(String, users: String)
    /// Lines about what triggers write: into a table that none writes to, unless one of these does, of which nobody can read it;
    /// that take away what is not added, or what nobody can tell from rows that are changed besides.
    case nobodyWrites(table: String, unread: [String])
    case onlyChanges(table: String)
    case changesToo(table: String)

    /// What Postgres says, which is the same wherever it says it.
    package struct Objection: Sendable, Hashable {
        package let state: SQLState
        package let message: String
        package let hint: String?

        package init(_ error: ServerError) {
            (state, message, hint) = (error.state, error.message, error.hint ?? error.detail)
        }
    }

    /// Whether Postgres could not read something as a value of a type.
    var isMisread: Bool {
        if case .statement(let objection) = self { objection.state == .invalidTextRepresentation } else { false }
    }

    /// Doubts are warnings.
    package var severity: Diagnostic.Severity {
        switch self {
        case .ofFile(let diagnostic): diagnostic.severity
        case .undeclaredSecrets, .seenSecrets, .unread, .unmentioned, .unreadOptional, .apart, .opaque, .reachesRows,
            .changesToo, .nobodyWrites:
            .warning
        case .statement, .name, .noColumn, .shape, .kind, .noCondition, .turnedMembers, .member, .expectedApart,
            .bounds, .noFact,
            .noFactOfLink, .noFactToMean, .unmet, .gate, .refusesAll, .reachesOthers, .repeatedKey, .noAssumption,
            .shownSecrets, .readSecret, .writing, .incomparable, .impossible, .mustNotBeEmpty, .cannotBeWritten,
            .goesAnyway,
            .heldFast,
            .leftOut,
            .mayBeEmpty, .strange, .cannotOutlive, .cannotStay,
            .wayCannotBeEmpty, .wayLeadsNowhere, .answersForNothing, .ownsNothing, .ownsUsers,
            .noHeir,
            .onlyChanges:
            .error
        }
    }
}
