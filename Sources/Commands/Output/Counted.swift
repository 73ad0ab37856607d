import AppFile
import Asking
import Terminal

extension Int {
    /// So many of what a change is about.
    func of(_ subject: App.Subject) -> String { of(subject.noun ?? "subject") }
}

extension App.Subject {
    /// The noun of one of them; nil if there is no name.
    var noun: String? {
        switch self {
        case .users: "user"
        case .object(let noun): noun
        case .nothing: nil
        }
    }

    /// The additional members for programs if the number is not one of users.
    var members: [(String, JSON)] {
        if case .object(let noun) = self { [("subject", .string(noun))] } else { [] }
    }
}
