internal import AppFile
internal import Asking
internal import Catalog

/// The action of a request, with its role, grade and sentences from the app file.
struct RequestedAct {
    /// The source of the action.
    enum Origin: Sendable {
        case installed(kind: String, name: String)
        case undo(operation: String)
    }

    let origin: Origin
    let command: String
    /// The role that can run the action; nil if the role is stored only in the database.
    var role: OperatorRole?
    let subject: App.Subject
    let grade: App.Grade
    /// The number of changed rows above which the action is severe.
    var ceiling = Int.max
    var isFinal = false
    /// True for a test state, which is forbidden in production.
    var isForced = false
    var refusals: [App.Remark] = []
    var warnings: [App.Remark] = []
    var expects: [App.Expectation] = []
    var impacts: [App.Remark] = []
    /// The arguments the operator gave, by name.
    var arguments: [String: String] = [:]
    var secretNames: Set<String> = []
    /// True if the action runs separately for each subject.
    var isOneByOne = false
    /// The affected users, if the operator names none.
    var users: [String] = []
    /// The undone operation: its command, and its target if that is not a user.
    var undone: String?
    var undoneSubject: App.Subject?
    /// The role that approves the action in production, if the action needs two people.
    var approver: OperatorRole?
    /// True if the undo of this undo needs two people in production, because that undo repeats the operation.
    var redoTakesTwo = false

    /// The kind of subjects to count; for an undo, the kind of the undone operation.
    var counted: App.Subject { undoes == nil ? subject : undoneSubject ?? subject }

    var undoes: String? { if case .undo(let operation) = origin { operation } else { nil } }
}

extension RequestedAct {
    /// Refuses an action that needs two people in production, before usher asks for confirmation.
    ///
    /// A resumed bulk change may have its second person already; the database checks that with each batch.
    func requireOnePerson(in environment: Environment) throws(Failure) {
        guard environment.name == "production", let approver else { return }
        throw Failure(
            .refused,
            "in production `\(command)` needs two people: one requests the change, another with the role \(approver.name) approves it",
            code: "takes_two", nothing: .changed, hint: "add --request to request the change")
    }

    init(_ action: App.Action, arguments: [String: String]) {
        self.init(
            origin: .installed(kind: "action", name: "\(action.noun) \(action.verb)"),
            command: "\(action.noun) \(action.verb)", role: action.role, subject: action.subject, grade: action.grade,
            ceiling: action.ceiling, isFinal: action.isFinal, refusals: action.refusals, warnings: action.warnings,
            expects: action.expects, arguments: arguments,
            secretNames: Set(action.parameters.all.filter(\.isSecret).map(\.name)), isOneByOne: action.each != nil,
            approver: action.approver)
    }

    init(_ state: App.State) {
        self.init(
            origin: .installed(kind: "state", name: state.name), command: "state force", role: .engineer,
            subject: .users, grade: .moderate, isForced: true, expects: state.expects)
    }

    /// Creates the change of one cell in an editable table.
    init(_ settings: App.Settings, column: String, of key: String, to value: String?, as command: String) {
        var arguments = ["key": key]
        arguments["value"] = value
        self.init(
            origin: .installed(kind: "setting", name: "\(settings.name) \(column)"), command: command, role: .admin,
            subject: .nothing, grade: .moderate, impacts: settings.impacts, arguments: arguments)
    }
}
