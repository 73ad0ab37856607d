import AppFile
import Asking
import Terminal

extension Int {
    func of(_ subject: App.Subject) -> String { of(subject.noun ?? "subject") }
}

extension App.Subject {
    /// The noun for one subject of an action; nil for an action without subjects.
    var noun: String? {
        switch self {
        case .users: "user"
        case .object(let noun): noun
        case .nothing: nil
        }
    }

    /// The JSON field `subject`, if the subjects are not users.
    var members: JSON.Members {
        if case .object(let noun) = self { [("subject", noun)] } else { [] }
    }
}
