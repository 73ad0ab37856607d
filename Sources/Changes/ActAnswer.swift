internal import Catalog
internal import PQ

/// The answer of a database function that runs or records an action.
struct ActAnswer {
    enum Outcome: String {
        /// The action is done; the commit saves its changes.
        case done
        /// The action ran and was rolled back.
        case planned
        /// The result would differ from the plan.
        case changed
        case nothing
        case refused
        case failed
        /// Another session holds a lock that the action needs.
        case locked
        /// A bulk change was started, or can be resumed.
        case begun, resumed
        /// The bulk change has no subject left.
        case exhausted
        /// The database function refused the request before it ran the action.
        case objected
    }

    /// The facts for the placeholders of a sentence, by name.
    typealias Facts = [String: Value]

    let outcome: Outcome
    let now: String
    let fingerprint: String?
    let error: ServerError?
    let step: String?
    let locks: [String]
    /// The counts of a bulk change: all its users, then the users and rows of one batch or of all batches.
    let total: Int
    let done: Int
    let refusals: Int
    let changed: Int
    /// The number of skipped users, who were deleted or are no longer selected; known at the end.
    let passed: Int
    /// The role that can approve the request; `hasMoved` is true if the data or the action changed since the request.
    let role: String?
    let hasMoved: Bool
    let others: OtherUsers?
    private(set) var subjects: [String] = []
    private(set) var changes: [RowChange] = []
    private(set) var refused: [Row] = []
    private(set) var warnings: [Row] = []
    private(set) var decisions: [DecisionChange] = []
    private(set) var impacts: [(before: Facts, after: Facts)] = []
    /// The values that an undo doesn't restore, or a preview doesn't show.
    private(set) var remarks: [LeftBehind] = []

    /// The query that calls a function, for a transaction that has not written anything yet.
    static func query(_ function: ActFunction, _ request: String) -> Query {
        Query(file: "catalog/act.sql", [function.rawValue, request])
    }

    /// Reads the answer, from which the database has removed secrets.
    init(_ rows: Rows) throws(PQError) {
        guard let head = rows.first else { throw .isNotOneRow(0) }
        guard let outcome = Outcome(rawValue: try head.text("outcome")) else {
            throw .notA("outcome", column: "outcome")
        }
        self.outcome = outcome
        now = try head.optionalText("now") ?? ""
        fingerprint = try head.optionalText("fingerprint")
        step = try head.optionalText("step")
        locks = try head.optionalText("locks").map { arrayElements($0).compactMap { $0 } } ?? []
        total = try head.optionalInteger("total") ?? 0
        done = try head.optionalInteger("done") ?? 0
        refusals = try head.optionalInteger("refusals") ?? 0
        changed = try head.optionalInteger("changed") ?? 0
        passed = try head.optionalInteger("passed") ?? 0
        role = try head.optionalText("role")
        hasMoved = try head.optionalBoolean("moved") ?? false
        others = try head.optionalInteger("others").map { count throws(PQError) in
            OtherUsers(count: count, tables: try head.texts("other_tables"))
        }
        if let state = try head.optionalText("state") {
            error = ServerError(
                state: SQLState(rawValue: state), message: try head.text("message"),
                detail: try head.optionalText("detail"), hint: try head.optionalText("hint"),
                table: try head.optionalText("table"))
        } else {
            error = nil
        }
        for row in rows.rows.dropFirst() {
            switch try row.text("part") {
            case "subject": subjects.append(try row.text("key"))
            case "change": changes.append(try RowChange(row))
            case "refused": refused.append(row)
            case "warning": warnings.append(row)
            case "decision":
                let key = try row.text("key")
                decisions.append(
                    DecisionChange(
                        user: ChangeSubject(key: key, label: try row.optionalText("label") ?? key),
                        name: try row.text("decision"), per: try row.optionalText("per"),
                        before: try row.optionalText("before"), after: try row.optionalText("after")))
            case "impact":
                impacts.append(
                    (
                        try row.facts("names", "types", "afters"),
                        try row.facts("later_names", "later_types", "later_texts")
                    ))
            case "remark":
                guard
                    let left = LeftBehind(
                        try row.text("left"), table: try row.text("table"), names: try row.optionalText("unlike_names"))
                else { throw .notA("remark", column: "left") }
                remarks.append(left)
            default: throw .notA("part", column: "part")
            }
        }
    }
}

/// The functions of the schema `usher` that run and record actions.
enum ActFunction: String { case run, undo, begin, batch, ask, answer, note }

extension Row {
    /// The facts for the placeholders of a sentence, from three columns with lists.
    func facts(_ names: String, _ types: String, _ texts: String) throws(PQError) -> ActAnswer.Facts {
        guard let list = try optionalText(names) else { return [:] }
        let numbers = arrayElements(try text(types))
        let values = arrayElements(try text(texts))
        var facts: ActAnswer.Facts = [:]
        for (index, name) in arrayElements(list).enumerated() {
            guard let name, let number = numbers[index].flatMap({ UInt32($0) }) else {
                throw .notA("type", column: types)
            }
            facts[name] = Value(values[index], type: TypeID(rawValue: number))
        }
        return facts
    }
}

extension RowChange {
    fileprivate init(_ row: Row) throws(PQError) {
        guard let kind = Kind(rawValue: try row.text("kind")) else { throw .notA("kind", column: "kind") }
        self.kind = kind
        table = try row.text("table")
        key = Value(try row.text("key"), type: .jsonb)
        keyTexts = arrayElements(try row.text("key_texts")).compactMap { $0 }
        before = try row.optionalText("before").map { Value($0, type: .jsonb) }
        after = try row.optionalText("after").map { Value($0, type: .jsonb) }
        secrets = arrayElements(try row.text("secrets")).compactMap { $0 }
        guard let list = try row.optionalText("names") else {
            columns = []
            return
        }
        let types = arrayElements(try row.text("types"))
        let befores = arrayElements(try row.text("befores"))
        let afters = arrayElements(try row.text("afters"))
        let names = arrayElements(list).map { $0 ?? "" }
        columns = names.indices.map { index in
            Column(
                name: names[index], type: types[index].flatMap { UInt32($0) }.map { TypeID(rawValue: $0) } ?? .text,
                before: befores[index], after: afters[index])
        }
    }
}
