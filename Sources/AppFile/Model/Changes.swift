/// The parts of an app that describe changes.
extension App {
    /// The parameters that an action or list has on the command line.
    package struct Parameters: Sendable {
        /// The parameters that are given by position, in order.
        package let arguments: [ParameterDeclaration]
        /// The parameters that are given as `--name`.
        package let options: [ParameterDeclaration]

        package var all: [ParameterDeclaration] { arguments + options }
        var names: Set<String> { Set(all.map(\.name)) }
    }

    /// A condition, and the sentence that usher shows if the condition is true.
    package struct Remark: Sendable {
        package let sentence: Sentence
        package let condition: Fragment
    }

    /// The outcomes that a decision may have after a change.
    package struct Expectation: Sendable {
        package let decision: String
        /// The column of the object that selects one of several answers of a decision; nil for all answers.
        package let about: String?
        package let outcomes: [String]
        package let place: Place
    }

    /// A configuration table that operators can edit.
    package struct Settings: Sendable {
        package let name: String
        package let summary: String
        package let table: TableName
        /// The table as written in the app file.
        package let path: String
        package let key: String
        package let columns: [ParameterDeclaration]
        /// The sentences about the effects of a change; usher evaluates their statements before and after the change.
        package let impacts: [Remark]
        package let place: Place
    }

    /// The kind of subject that an action changes: users, objects, or neither.
    package enum Subject: Sendable, Hashable {
        case users
        case object(String)
        case nothing
    }

    /// The risk of an action, which determines the required confirmation.
    package enum Grade: String, Sendable, CaseIterable, Comparable {
        case mild, moderate, severe

        package static func < (left: Grade, right: Grade) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// A change that operators can make.
    package struct Action: Sendable {
        package let noun: String
        package let verb: String
        package let summary: String
        package let subject: Subject
        package let parameters: Parameters
        /// The selections with which an operator can choose the users or objects instead of naming them.
        package let selections: [String]
        /// The column that sorts the keys, if the action runs separately for each key; otherwise nil.
        package let each: String?
        package let role: OperatorRole
        /// The role that must approve the action in production; nil if the action needs no approval.
        package let approver: OperatorRole?
        package let grade: Grade
        /// The largest number of changed rows for which usher keeps the grade; more rows make the action severe.
        package let ceiling: Int
        package let expects: [Expectation]
        package let isFinal: Bool
        package let refusals: [Remark]
        package let warnings: [Remark]
        package let statements: [Statement]
        package let place: Place
    }

    /// A statement of a change, and a description of its effect.
    package struct Statement: Sendable {
        package let summary: String
        package let sql: Fragment
    }

    /// A command of the app file that lists rows.
    package struct List: Sendable {
        package let noun: String
        package let verb: String
        package let summary: String
        package let parameters: Parameters
        package let columns: [String]
        package let select: Fragment
        package let place: Place

        /// True if the list is about one user: its SQL reads `:user`, but the app file doesn't declare this parameter.
        package var asksForUser: Bool {
            select.parameters.contains { $0.name == "user" } && !parameters.all.contains { $0.name == "user" }
        }
    }

    /// A test state, into which an engineer can put users.
    package struct State: Sendable {
        package let name: String
        package let summary: String
        /// The subject of the state: users, or nothing if the state applies to all users together.
        package let subject: Subject
        package let expects: [Expectation]
        package let statements: [Statement]
    }

    /// An invariant; its select returns the rows that violate it.
    package struct Check: Sendable {
        package let name: String
        package let summary: String
        package let subject: Subject
        /// The action that repairs the rows; nil if there is none.
        package let fix: (noun: String, verb: String, place: Place)?
        package let select: Fragment
        package let place: Place
    }

    /// An example: test rows, and the decisions and quotas that usher expects for one user.
    package struct Example: Sendable {
        package let name: String
        package let summary: String
        package let statements: [Statement]
        /// The key or email of the user in the example.
        package let user: String
        package let assumed: Assumptions
        package let expects: [Expectation]
        /// The action that runs before the checks, as noun, verb and values; empty if there is none.
        package let run: [String]
        /// The beginning of the sentence with which the action must be refused; nil if it must succeed.
        package let refused: String?
        /// The expected usage of quotas: the name of the quota, and `N` or `N of N`.
        package let used: [(quota: String, amount: String, place: Place)]
        package let place: Place

        /// The names of the assumptions, each with its place.
        package var assumptions: [(name: String, place: Place)] {
            place.named(assumed.keys.sorted(), in: "assume")
        }
    }
}
