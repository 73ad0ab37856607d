package import AppFile
package import Asking
package import PQ

/// Why an app is not asked, or does not answer.
package enum InquiryRefusal: Refusal {
    /// What an app requires and the database has not.
    package struct Lack: Sendable, Hashable {
        package let app: String
        package let relations: [String]

        package init(app: String, relations: [String]) {
            self.app = app
            self.relations = relations
        }
    }

    // Which app it is.
    case noApp(String, known: [String])
    /// A file beside the app declares what only the app's own may.
    case changingPart(Diagnostic)
    /// No app fits; what those lack that come closest.
    case noneFits(but: [Lack])
    /// The words of the command are another app's than the one that fits.
    case otherApp
    /// Several apps fit the database as well as each other.
    case alike([String])
    /// What an app requires and the database has not.
    case missing(app: String, relations: [String])
    /// No schema is one of those that an app file is about.
    case noTenant(app: String, pattern: String?)
    /// No table looks like one of users.
    case noRoot
    /// Examples are written into a database, and this one has users.
    case realData(environment: String)
    // What the app has by a name.
    case noCheck(String, known: [String])
    case noSettings(app: String, String?, known: [String])
    case noTable(settings: String)
    case noKind(app: String, noun: String)
    case noList(app: String, noun: String, verb: String)
    case noFilter(Filter, String, known: [String])
    case noSortColumn(String, known: [String])
    /// Nobody can tell whose objects of a kind are, or of when.
    case noOwner(noun: String)
    case noTimes(noun: String)
    // Whom or what it is about.
    case nothingToFind
    /// Nobody is called so; some are called alike.
    case noUser(String, near: [String], unsearched: [String], elsewhere: [App.Elsewhere])
    /// What is no address, and could be no key.
    case noKey(String, type: String)
    /// What leads to a user, whose key or address it is not.
    case inexact(String, Identification, user: String)
    /// What was named is there, and tied to no user.
    case untied([Identification])
    /// What leads to a user by another way, and the user, who is not there any more.
    case goneUser(String, user: String)
    /// Users have an address, or something leads to them by a way; the first of them, each in one line.
    case severalUsers(String, count: Int, through: Identification?, first: [String])
    /// The directory lists the user of a key several times.
    case repeatedUser(String)
    case noObject(noun: String, text: String)
    case severalObjects(String, key: String, count: Int, first: [String])
    // What was typed.
    case noValue(name: String, ServerError, choices: [String])
    case noObjectOfFacts(path: String, ServerError?)
    case nullFact(path: String, name: String)
    case fixedFact(String)
    case unknownFact(String, known: [String])
    case notAmong(fact: String, value: String, choices: [String])
    case outOfRange(fact: String, value: String, ClosedRange<Int>)
    case noFact(String, value: String, ServerError)
    // What the server says.
    /// Row security keeps rows of some tables from a role.
    case hidden(role: String, tables: [String])
    /// Statements of the app file that the server does not take.
    case unreadable(Unreadable)

    /// What users are listed by.
    package enum Filter: Hashable, Sendable { case selection, decision, outcome(of: String) }

    package var kind: Failure.Kind {
        switch self {
        case .noApp, .changingPart, .noCheck, .noSettings, .noKind, .noList, .noFilter, .noSortColumn, .noOwner,
            .noTimes,
            .nothingToFind, .noKey, .noValue, .noObjectOfFacts, .nullFact, .fixedFact, .unknownFact, .notAmong,
            .outOfRange,
            .noFact:
            .usage
        case .noneFits, .alike, .missing, .noTenant, .noTable, .repeatedUser: .failed
        case .realData: .refused
        case .noRoot, .noUser, .inexact, .untied, .goneUser, .noObject: .notFound
        case .severalUsers, .severalObjects, .otherApp: .conflict
        case .hidden: .forbidden
        case .unreadable(.hidden): .forbidden
        case .unreadable(let unreadable): unreadable.error?.kind ?? .failed
        }
    }

    package var want: Failure.Want? {
        switch self {
        case .noneFits: .app
        case .otherApp: .otherWords
        default: nil
        }
    }

    package var state: SQLState? {
        switch self {
        case .unreadable(let unreadable): unreadable.error?.state
        case .noValue(_, let error, _), .noFact(_, _, let error): error.state
        case .noObjectOfFacts(_, let error): error?.state
        default: nil
        }
    }
}
