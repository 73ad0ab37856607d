package import Asking
package import PQ

/// Errors about the request and the root of an account.
package enum AccountRefusal: Asking.Refusal {
    // The table of users.
    case noRootName(String)
    case noTable(String, near: String?)
    case severalTables(String, [String])
    case noColumn(table: String, String)
    /// A column that is not unique, or a table without a primary key of one column; and the columns that are unique.
    case notUnique(table: String, column: String?, others: [String])
    case otherTable(String)
    /// Citus keeps the partitions of these tables on other servers.
    case spread([String])
    /// No app fits, and `--root` names no table of users.
    case noGuess
    /// The app file has no `@account`.
    case undescribed(app: String)
    // The users.
    case nobody
    case noUsers(table: String, column: String, [String])
    case noValue(table: String, column: String, ServerError)
    case nothingToFind
    /// A `via` line keeps rows of a table because other rows of that table are deleted.
    case circularWay(column: String, table: String)
    case neverSettled(table: String)
    // What this role can read.
    /// Tables that this role cannot read.
    case unreadable(tables: [String], isDeletion: Bool = false)
    case hidden(tables: [String])
    // The answers.
    case noAnswerForColumns(String)
    case noColumnToAnswer(String)
    case notUndeclared(String)
    case noAnswer(String, known: [String])
    case answersNothing(String)
    // Files.
    case file(path: String, FileDeed, code: Int32)
    case noPlainFile(path: String)

    /// The step that failed.
    package enum FileDeed: Sendable { case made, opened, read, written }

    package var kind: Failure.Kind {
        switch self {
        case .noRootName, .severalTables, .notUnique, .noGuess, .nobody, .noValue, .nothingToFind,
            .noAnswerForColumns, .noColumnToAnswer, .notUndeclared, .noAnswer, .answersNothing,
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
    /// The failure, worded for a deletion.
    package var ofDeletion: Failure {
        guard case .unreadable(let tables, _)? = refusal as? AccountRefusal else { return self }
        return Failure(AccountRefusal.unreadable(tables: tables, isDeletion: true), nothing: nothing)
    }
}
