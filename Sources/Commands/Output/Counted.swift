import AppFile
import Asking
import Terminal

extension Int {
    func of(_ subject: App.Subject) -> String { of(subject.noun ?? "subject") }
}

extension App.Subject {
    /// The noun for one subject; nil if subjects have no noun.
    var noun: String? {
        switch self {
        case .users: "user"
        case .object(let noun): noun
        case .nothing: nil
        }
    }

    /// The additional JSON fields if the number doesn't count users.
    var members: [(String, JSON)] {
        if case .object(let noun) = self { [("subject", .string(noun))] } else { [] }
    }
}
