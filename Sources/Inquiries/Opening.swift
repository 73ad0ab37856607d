internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

/// The first queries of an inquiry in addition to its tables, with their answers.
struct Opening {
    private let asksLedger: Bool
    private let asksReadOnly: Bool
    private let asksEnvironment: Bool
    private let asksIndexes: Bool

    init(_ purpose: Inquiry.Purpose, wantsIndexes: Bool) {
        asksLedger = purpose == .users || purpose == .change
        asksReadOnly = purpose == .change
        asksEnvironment = true
        asksIndexes = wantsIndexes
    }

    func queries(about names: [AddressColumn.Name]) -> [Query] {
        (asksLedger ? [Ledger.question] : []) + (asksReadOnly ? [ReadOnlySession.question] : [])
            + (asksEnvironment ? [Environment.query] : []) + (asksIndexes ? AddressColumn.indexes(about: names) : [])
    }

    typealias Answers = ArraySlice<Result<Rows, ServerError>>

    func ledger(_ answers: Answers) throws(Failure) -> Ledger.Installation? {
        guard asksLedger, let answer = answers.first else { return nil }
        return try Ledger.installation(answer)
    }

    func readOnly(_ answers: Answers) throws(Failure) -> ReadOnlySession? {
        guard asksReadOnly, let answer = answers.dropFirst(asksLedger ? 1 : 0).first else { return nil }
        return try ReadOnlySession.cause(answer)
    }

    /// The declared environment; nil if it was not read.
    func environment(_ answers: Answers) -> Environment? {
        guard asksEnvironment, let answer = answers.dropFirst((asksLedger ? 1 : 0) + (asksReadOnly ? 1 : 0)).first
        else {
            return nil
        }
        return Environment(answer)
    }

    /// The answers about indexes; empty if they were not queried.
    func indexes(_ answers: Answers) -> Answers { asksIndexes ? answers.suffix(2) : [] }
}
