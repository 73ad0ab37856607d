import AppFile
import Terminal

extension Int {
    /// So many of something in words: `1 row`, `2 rows`.
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

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
