package import AppFile
package import PQ

/// A mistake in an app file, or a warning about it, for a database.
package struct AppFinding: Sendable, Hashable {
    package let mistake: AppMistake
    package let place: App.Place
    /// A known name that is close to a misspelt one.
    package let meant: String?

    /// A mistake at its place in the file.
    package init(_ mistake: AppMistake, at place: App.Place, meant: String? = nil) {
        (self.mistake, self.place, self.meant) = (mistake, place, meant)
    }

    package var severity: Diagnostic.Severity { mistake.severity }
}

/// The mistakes that a database finds in an app file.
package enum AppMistake: Sendable, Hashable {
    /// A mistake in the file by itself.
    case ofFile(Diagnostic)
    /// An error of Postgres about a statement, or about a name in a directive.
    case statement(Objection)
    case name(directive: String, Objection)
    /// A select without a column that is asked of it, or with too many or too few.
    case noColumn(String)
    case shape(columns: Int, wanted: [String])
    /// A column whose type does not fit its place.
    case kind(of: ShapedColumn)
    /// Bounds of a parameter that is no number.
    case bounds(of: String, type: String, ClosedRange<Int>)
    /// An unknown fact: in a sentence, in the address of a page, or given a meaning.
    case noFact(String)
    case noFactOfLink(title: String, String)
    case noFactToMean(String)
    /// An example assumes a name that no decision declares and no fact has.
    case noAssumption(String)
    case unmet(requirement: String)
    /// A statement that operators run reads a secret.
    case readSecret(String)
    /// A statement that operators run reads a column that is called like a secret and that no line declares.
    case undeclaredSecret(String)
    /// A block that shows something writes or locks rows.
    case writing
    /// The connected role may not parse a statement, by what Postgres says, or lacks a privilege to run it.
    case unread(message: String)
    case lacks(Need.Privilege, on: String)
    /// A text that a column can't hold.
    case impossible(column: String, value: String, allowed: [String])
    /// A bare name in a subquery that means a column there, and not the fact of the same name.
    case innerName(String, column: String)
    /// Lines of an account that no deletion could follow.
    case mustNotBeEmpty(String)
    case cannotBeWritten(String)
    /// A column is to be overwritten in a row that is deleted.
    case goesAnyway(column: String)
    /// Rows of a table refer to what is to be overwritten, and do not follow it.
    case heldFast(column: String, by: String)
    case cannotOutlive(column: String, table: String)
    case cannotStay(table: String, root: String)
    case wayCannotBeEmpty(column: String, table: String)
    case wayLeadsNowhere(String)
    /// An answer for a column of which nothing says what it refers to.
    case answersForNothing(String)
    /// A line about a table whose rows no deletion reaches.
    case hasNoEffect(table: String)
    case ownsNothing(column: String, target: String)
    case ownsUsers(String)

    /// An error of Postgres, equal wherever it is raised.
    package struct Objection: Sendable, Hashable {
        package let state: SQLState
        package let message: String
        package let hint: String?

        package init(_ error: ServerError) {
            (state, message, hint) = (error.state, error.message, error.hint ?? error.detail)
        }
    }

    /// True if it is about the connected role and not the file.
    package var isOfRole: Bool {
        switch self {
        case .unread, .lacks: true
        default: false
        }
    }

    /// Lints and missing privileges are warnings; a secret that is read is an error.
    package var severity: Diagnostic.Severity {
        switch self {
        case .ofFile(let diagnostic): diagnostic.severity
        case .undeclaredSecret, .unread, .lacks, .impossible, .innerName: .warning
        default: .error
        }
    }
}
