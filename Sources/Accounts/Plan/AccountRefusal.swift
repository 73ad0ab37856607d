package import Asking
package import PQ

/// Why an account is not looked into.
package enum AccountRefusal: Asking.Refusal {
    // Which table users are in.
    case noRootName(String)
    case noTable(String, near: String?)
    case severalTables(String, [String])
    case noColumn(table: String, String)
    /// A column that does not identify a row, or a table without a column that is its primary key; and columns that do.
    case notUnique(table: String, column: String?, others: [String])
    case otherTable(String)
    /// Citus keeps the partitions of these tables on other servers.
    case spread([String])
    /// No app fits, and nobody can tell which table is that of users.
    case noGuess
    case severalGuesses([String])
    /// The app file does not say what an account is made of.
    case undescribed(app: String)
    // Whom it is about.
    case nobody
    case noUsers(table: String, column: String, [String])
    case noValue(table: String, column: String, ServerError)
    case nothingToFind
    /// Which rows of a table stay by a `via` line depends on which of them go.
    case circularWay(column: String, table: String)
    case neverSettled(table: String)
    // What this role sees.
    /// Tables of an account, which is wanted to be looked at or deleted.
    case unreadable(tables: [String], isDeletion: Bool = false)
    case hidden(tables: [String])
    // What was answered.
    case noAnswerForColumns(String)
    case noColumnToAnswer(String)
    case notUndeclared(String)
    case severalUndeclared(String, [String])
    case noAnswer(String, known: [String])
    case answersNothing(String)
    // Files.
    case file(path: String, FileDeed, code: Int32)
    case noPlainFile(path: String)

    /// What a file is opened for.
    package enum FileDeed: Sendable { case made, opened, read, written }

    package var kind: Failure.Kind {
        switch self {
        case .noRootName, .severalTables, .notUnique, .noGuess, .severalGuesses, .nobody, .noValue, .nothingToFind,
            .noAnswerForColumns, .noColumnToAnswer, .notUndeclared, .severalUndeclared, .noAnswer, .answersNothing,
            .noPlainFile:
            .usage
        case .noTable, .noColumn, .noUsers: .notFound
        case .otherTable: .conflict
        case .spread, .circularWay, .neverSettled: .refused
        case .undescribed, .file: .failed
        case .unreadable, .hidden: .forbidden
        }
    }

    package var state: SQLState? {
        switch self {
        case .noValue(_, _, let error): error.state
        case .unreadable, .hidden: .insufficientPrivilege
        default: nil
        }
    }
}

extension Failure {
    /// The same; of what may not be read, that it was for a deletion.
    package var ofDeletion: Failure {
        guard case .unreadable(let tables, _)? = refusal as? AccountRefusal else { return self }
        return Failure(AccountRefusal.unreadable(tables: tables, isDeletion: true), nothing: nothing)
    }
}
