/// A five-character SQLSTATE; only states that usher distinguishes have names.
package struct SQLState: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var category: Substring { rawValue.prefix(2) }

    package static let characterNotInRepertoire = SQLState(rawValue: "22021")
    static let invalidPassword = SQLState(rawValue: "28P01")
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    package static let undefinedObject = SQLState(rawValue: "42704")
    package static let undefinedFunction = SQLState(rawValue: "42883")
    package static let ambiguousFunction = SQLState(rawValue: "42725")
    package static let indeterminateDatatype = SQLState(rawValue: "42P18")
    package static let datatypeMismatch = SQLState(rawValue: "42804")
    package static let undefinedColumn = SQLState(rawValue: "42703")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let programLimitExceeded = SQLState(rawValue: "54000")
    package static let uniqueViolation = SQLState(rawValue: "23505")
    /// The state for an action that is not installed.
    package static let notInstalled = SQLState(rawValue: "US008")
    /// The state for an action that the operator must confirm as severe.
    package static let needsConfirmation = SQLState(rawValue: "US009")
    /// The state for an undo of rows that changed after the operation.
    package static let changedSince = SQLState(rawValue: "US010")
    package static let inFailedTransaction = SQLState(rawValue: "25P02")
}
