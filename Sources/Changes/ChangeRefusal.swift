package import AppFile
package import Asking
package import PQ

/// Why a change is not made, or installing makes nothing.
package enum ChangeRefusal: Refusal {
    // What is asked for.
    case noAction(app: String, noun: String, verb: String)
    case noState(app: String, name: String, known: [String])
    /// Nothing keeps a command to those it is asked for.
    case unbound(command: String, [Diagnostic])
    // Whom it is about.
    /// It is about nothing, and something was named.
    case takesNothing(text: String)
    /// None of so many names is a user's.
    case noUsers(names: Int, [SubjectRemark])
    /// Some of those it is to be asked for are nobody.
    case strangers([SubjectRemark])
    case nobody
    /// An operation did not concern a user whom its undo is to leave out.
    case notConcerned(String)
    /// A change of many is undone in parts, which leave out nobody.
    case exceptOfMany
    /// The app file has several rows for one of them, and nobody knows which facts are meant.
    case listedTwice(app: String, key: String)
    /// So many users are named after a test state, where one has to be.
    case notOneTestUser(state: String, count: Int)
    // What is set.
    case noColumn(settings: String, name: String, known: [String])
    case notAmong(name: String, value: String, choices: [String])
    case outOfRange(name: String, value: String, ClosedRange<Int>)
    case noKey(settings: String, column: String, key: String, known: [String])
    // What came of it.
    case changedSincePlan
    case noAnswer
    /// The server objected, at a step that the app file describes.
    case objected(ServerError?, step: String?)
    /// Every one of those it was asked for was refused.
    case refused([SubjectRemark])
    case unconfirmed(Failure, confirmation: String)
    /// Rows of some subjects are not as they are expected.
    case blocked(Failure, RowOwners)
    /// A change of many stopped, and can be gone on with.
    case stopped(Failure, operation: String, handled: Int, total: Int)
    // Installing.
    case noOwner
    case foreignSchema(owner: String)
    case mayNotInstall(owner: String, login: String)
    case markedProduction

    package var kind: Failure.Kind {
        switch self {
        case .noAction, .noState, .takesNothing, .exceptOfMany, .noColumn, .notAmong, .outOfRange: .usage
        case .unbound, .foreignSchema, .listedTwice: .refused
        case .noUsers, .strangers, .nobody, .noKey, .notConcerned: .notFound
        case .notOneTestUser(_, let count): count == 0 ? .notFound : .conflict
        case .noAnswer, .noOwner: .failed
        case .changedSincePlan, .markedProduction: .conflict
        case .objected(let error, _): error?.kind ?? .failed
        case .refused(let remarks): remarks.contains(where: \.isFailure) ? .failed : .refused
        case .unconfirmed(let cause, _), .blocked(let cause, _), .stopped(let cause, _, _, _): cause.kind
        case .mayNotInstall: .forbidden
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .unbound, .markedProduction, .listedTwice: .changed
        case .changedSincePlan: .done
        default: cause?.nothing
        }
    }

    package var state: SQLState? {
        if case .objected(let error, _) = self { error?.state } else { cause?.state }
    }

    package var cause: Failure? {
        switch self {
        case .unconfirmed(let cause, _), .blocked(let cause, _), .stopped(let cause, _, _, _): cause
        default: nil
        }
    }
}
