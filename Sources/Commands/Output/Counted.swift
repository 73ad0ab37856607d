import AppFile
import Asking
import Terminal

extension Int {
    /// So many of what a change is about.
    func of(_ subject: App.Subject) -> String { of(subject.noun ?? "subject") }
}

extension App.Subject {
    /// What one of them is called; nil where it is about nothing that has a name.
    var noun: String? {
        switch self {
        case .users: "user"
        case .object(let noun): noun
        case .nothing: nil
        }
    }

    /// What programs read besides the number where it is not one of users.
    var members: [(String, JSON)] {
        if case .object(let noun) = self { [("subject", .string(noun))] } else { [] }
    }
}
