/// A trigger as a statement declares it, in the words of `pg_trigger`.
struct DeclaredTrigger {
    let name: String
    private let table: String
    private let function: String
    /// When it fires, as the bits of `tgtype`.
    private var type = 0
    private let isConstraint: Bool
    private var isDeferrable = false
    private var isDeferred = false
    /// Whether it fires for some columns or rows only, or is told something.
    private var isConditional = false

    /// Nothing for a statement that makes something else.
    init?(_ statement: String) {
        var reader = StatementReader(statement)
        guard reader.take("create") else { return nil }
        reader.take("or", "replace")
        isConstraint = reader.take("constraint")
        guard reader.take("trigger") else { return nil }
        name = reader.take()
        while !reader.isAtEnd, !reader.take("on") {
            let piece = reader.take()
            type |= Self.bits[piece] ?? 0
            isConditional = isConditional || reader.take("of") && piece == "update"
        }
        guard let table = reader.takeName() else { return nil }
        self.table = table
        while !reader.isAtEnd, !reader.take("execute") {
            switch reader.take() {
            case "not": reader.take("deferrable")
            case "deferrable": isDeferrable = true
            case "deferred": isDeferred = true
            case "row": type |= 1
            case "when": isConditional = true
            default: break
            }
        }
        reader.take()
        function = reader.takeText { $0.next == "(" }
        isConditional = isConditional || !reader.take("(", ")")
    }

    private static let bits = [
        "before": 2, "insert": 4, "delete": 8, "update": 16, "truncate": 32, "instead": 64,
    ]

    /// What is sent of it, with the letter of `tgenabled`.
    func payload(enabled: String) -> [(String, JSONPayload.Item?)] {
        [
            ("table", .text(table)), ("name", .text(name)), ("function", .text(function)), ("type", .number(type)),
            ("enabled", .text(enabled)), ("constraint", .flag(isConstraint)), ("deferrable", .flag(isDeferrable)),
            ("deferred", .flag(isDeferred)), ("conditional", .flag(isConditional)),
        ]
    }
}
