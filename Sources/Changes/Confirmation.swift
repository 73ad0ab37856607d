package import AppFile
package import Catalog

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

    /// The confirmation for a change of the whole database, such as an installation.
    package init(_ grade: App.Grade, ofDatabase name: String, isAskedAtTerminal: Bool = true) {
        self.grade = grade
        answers = [name]
        self.isAskedAtTerminal = isAskedAtTerminal
    }

    /// The confirmation for a change of users or objects, which is severe for many of them and for more rows than
    /// the ceiling.
    ///
    /// `names` are the names of the subject, if there is only one. `others` is the number of other affected users.
    /// Without an environment, the database counts as production.
    package init(
        _ grade: App.Grade, of subjects: Int, names: [String] = [], others: Int = 0, rows: Int = 0,
        ceiling: Int = .max, in environment: Environment = .undeclared
    ) {
        let users = subjects + others
        let isProduction = environment.name == "production"
        let isSevere = users >= Self.many || isProduction && users > Self.fewInProduction || rows > ceiling
        self.grade = isSevere ? .severe : grade
        answers = subjects == 1 && !names.isEmpty ? names : [String(subjects)]
        isAskedAtTerminal = isProduction || users > 1
    }
}
