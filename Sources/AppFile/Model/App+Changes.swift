/// The parts of an app file about changes.
extension App {
    /// The command-line parameters of an action or list.
    package struct Parameters: Sendable {
        /// The parameters by position, in order.
        package let arguments: [ParameterDeclaration]
        /// The parameters by name, `--name`.
        package let options: [ParameterDeclaration]

        package var all: [ParameterDeclaration] { arguments + options }
    }

    /// A condition with the sentence to show if it is true.
    package struct Remark: Sendable {
        package let sentence: Sentence
        package let condition: Fragment
    }

    /// The outcomes of a decision that are allowed after the change.
    package struct Expectation: Sendable {
        package let decision: String
        /// The column of an object that selects one of several answers; nil for all answers.
        package let about: String?
        package let outcomes: [String]
        package let place: Place
    }

    /// A place in a file, for findings of later checks.
    package struct Place: Sendable, Hashable {
        package let file: SourceFile
        package let offset: Int

        /// Creates the place of a byte in a file.
        package init(file: SourceFile, offset: Int) {
            self.file = file
            self.offset = offset
        }
    }

    /// An editable configuration table.
    package struct Settings: Sendable {
        package let name: String
        package let summary: String
        package let table: String
        package let key: String
        package let columns: [ParameterDeclaration]
        /// The sentences about a change's effects, evaluated before and after the change.
        package let impacts: [Remark]
        package let place: Place
        let places: NamePlaces
    }

    /// The subjects of an action: users, objects, or none.
    package enum Subject: Sendable, Hashable {
        case users
        case object(String)
        case nothing
    }

    /// The risk of an action, which determines the required confirmation.
    package enum Grade: String, Sendable, CaseIterable {
        case mild, moderate, severe
    }

    /// A change that operators can make.
    package struct Action: Sendable {
        package let noun: String
        package let verb: String
        package let summary: String
        package let subject: Subject
        package let parameters: Parameters
        /// Selections that can replace the names of the subjects.
        package let selections: [String]
        /// The column that orders the keys, if the action runs once per key.
        package let each: String?
        package let role: OperatorRole
        /// The role that has to approve the action in production; nil if no approval is needed.
        package let approver: OperatorRole?
        package let grade: Grade
        /// The number of changed rows from which the action counts as severe, regardless of its grade.
        package let ceiling: Int
        package let expects: [Expectation]
        package let isFinal: Bool
        package let refusals: [Remark]
        package let warnings: [Remark]
        package let statements: [Statement]
        package let place: Place
        let places: NamePlaces
    }

    /// A statement of a change, and its effect in words.
    package struct Statement: Sendable {
        package let summary: String
        package let sql: Fragment
    }

    /// A command that lists rows.
    package struct List: Sendable {
        package let noun: String
        package let verb: String
        package let summary: String
        package let parameters: Parameters
        package let columns: [String]
        package let select: Fragment
        package let place: Place
        let places: NamePlaces
    }

    /// A test state that an engineer can force.
    package struct State: Sendable {
        package let name: String
        package let summary: String
        /// The subject: users, or nothing for a state that is the same for all users.
        package let subject: Subject
        package let expects: [Expectation]
        package let statements: [Statement]
    }

    /// An invariant: its select returns the rows that break it.
    package struct Check: Sendable {
        package let name: String
        package let summary: String
        package let subject: Subject
        /// The action that repairs the rows.
        package let fix: (noun: String, verb: String, place: Place)?
        package let select: Fragment
        package let place: Place
        let places: NamePlaces
    }

    /// Test rows, and the expected decision about one of their users.
    package struct Example: Sendable {
        package let name: String
        package let summary: String
        package let statements: [Statement]
        /// The key or email of the user.
        package let user: String
        package let assumed: Assumptions
        package let expects: [Expectation]
        /// The action that runs before the checks: noun, verb and values.
        package let run: [String]
        /// The beginning of the sentence that refuses the action.
        package let refused: String?
        /// The expected quotas: the name, and `N` or `N of N`.
        package let used: [(quota: String, amount: String, place: Place)]
        package let place: Place
        let places: NamePlaces

        /// The assumptions by name, each with its place.
        package var assumptions: [(name: String, place: Place)] {
            places.named(assumed.keys.sorted(), in: "assume").map { ($0.name, $0.place ?? place) }
        }
    }
}
