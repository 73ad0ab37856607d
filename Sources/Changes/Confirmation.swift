package import AppFile
internal import Catalog

/// The confirmation that a change needs.
package struct Confirmation: Sendable {
    /// The grade: mild (runs at once), moderate (needs a yes) or severe (needs one of the answers).
    package let grade: App.Grade
    /// The answers that confirm a severe change: the names of a single user, or the number of users.
    package let answers: [String]
    /// True if usher asks for confirmation at a terminal, even for a mild change.
    package let isAskedAtTerminal: Bool

    /// The number of users from which every change is severe.
    private static let many = 100
    /// The number of users above which a change in production is severe.
    private static let fewInProduction = 10

    package init(_ grade: App.Grade, answers: [String], isAskedAtTerminal: Bool = true) {
        self.grade = grade
        self.answers = answers
        self.isAskedAtTerminal = isAskedAtTerminal
    }

    init(
        _ grade: App.Grade, of users: Int, rows: Int, ceiling: Int, in environment: Environment, answers: [String]
    ) {
        let isProduction = environment.name == "production"
        let isSevere = users >= Self.many || isProduction && users > Self.fewInProduction || rows > ceiling
        self.init(isSevere ? .severe : grade, answers: answers, isAskedAtTerminal: isProduction || users > 1)
    }
}
