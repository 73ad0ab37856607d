/// A function as a statement declares it, in the words of `pg_proc`.
struct DeclaredFunction {
    let name: String
    private(set) var arguments: [Argument] = []
    private(set) var returns: String?
    private(set) var returnsMany = false
    private(set) var language = ""
    private(set) var volatility = "v"
    private(set) var parallel = "u"
    private(set) var isDefiner = false
    private(set) var isStrict = false
    private(set) var isLeakproof = false
    /// Each as `name=value`, without quotes and spaces.
    private(set) var settings: [String] = []
    private(set) var source = ""

    struct Argument {
        /// The letter of `proargmodes`.
        let mode: String
        let name: String?
        let type: String
        let hasDefault: Bool
    }

    /// Nothing for a statement that makes something else.
    init?(_ statement: String) {
        var reader = StatementReader(statement)
        guard reader.take("create", "or", "replace", "function") || reader.take("create", "function"),
            let name = reader.takeName()
        else { return nil }
        self.name = name
        arguments = Self.arguments(&reader, mode: "i")
        while !reader.isAtEnd { takeClause(&reader) }
    }

    /// The same; where it runs as its owner, with what all of those say.
    func pinned(by pins: [String]) -> DeclaredFunction {
        guard isDefiner else { return self }
        var pinned = self
        pinned.settings += pins
        return pinned
    }

    // MARK: Arguments

    private static let modes = ["in": "i", "out": "o", "inout": "b", "variadic": "v"]

    private static func arguments(_ reader: inout StatementReader, mode: String) -> [Argument] {
        var arguments: [Argument] = []
        reader.take("(")
        while !reader.isAtEnd, !reader.take(")") {
            arguments.append(argument(&reader, mode: mode))
            reader.take(",")
        }
        return arguments
    }

    private static func argument(_ reader: inout StatementReader, mode: String) -> Argument {
        var mode = mode
        if let other = modes[reader.next] {
            mode = other
            reader.take()
        }
        // A name is a word before another; a type of two words is named.
        var ahead = reader
        ahead.take()
        let name = ahead.isBeforeWord && ahead.next != "default" ? reader.take() : nil
        let ends: Set = [",", ")", "default", "="]
        let type = reader.takeText { ends.contains($0.next) }
        let hasDefault = reader.take("default") || reader.take("=")
        if hasDefault { _ = reader.takeText { $0.next == "," || $0.next == ")" } }
        return Argument(mode: mode, name: name, type: type, hasDefault: hasDefault)
    }

    // MARK: Clauses

    private static let clauses: Set = [
        "language", "immutable", "stable", "volatile", "security", "external", "strict", "called", "leakproof", "not",
        "parallel", "cost", "rows", "support", "set", "as", "returns", "window",
    ]

    private mutating func takeClause(_ reader: inout StatementReader) {
        switch reader.take() {
        case "returns": takeReturns(&reader)
        case "language": language = reader.take()
        case "immutable": volatility = "i"
        case "stable": volatility = "s"
        case "volatile": volatility = "v"
        case "security": isDefiner = reader.take() == "definer"
        case "strict": isStrict = true
        case "leakproof": isLeakproof = true
        case "not": reader.take()
        case "parallel": parallel = String(reader.take().prefix(1))
        case "set": takeSetting(&reader)
        case "as": source = reader.takeString()
        default: break
        }
    }

    private mutating func takeReturns(_ reader: inout StatementReader) {
        if reader.take("null", "on", "null", "input") {
            isStrict = true
        } else if reader.take("table") {
            returnsMany = true
            arguments += Self.arguments(&reader, mode: "t")
        } else {
            returnsMany = reader.take("setof")
            returns = reader.takeText { Self.clauses.contains($0.next) }
        }
    }

    private mutating func takeSetting(_ reader: inout StatementReader) {
        let name = reader.takeText { $0.next == "=" || $0.next == "to" }.lowercased()
        reader.take()
        var values: [String] = []
        repeat {
            values.append(reader.takeText { $0.next == "," || Self.clauses.contains($0.next) })
        } while reader.take(",")
        let value = values.joined(separator: ",").filter { !["'", "\"", " "].contains($0) }
        settings.append("\(name)=\(value)")
    }

    // MARK: As it is sent

    var payload: [(String, JSONPayload.Item?)] {
        [
            ("name", .text(name)), ("source", .text(source)), ("language", .text(language)),
            ("volatility", .text(volatility)), ("parallel", .text(parallel)), ("definer", .flag(isDefiner)),
            ("strict", .flag(isStrict)), ("leakproof", .flag(isLeakproof)), ("settings", .list(settings)),
            ("defaults", .number(arguments.filter(\.hasDefault).count)), ("returns", returns.map { .text($0) }),
            ("many", .flag(returnsMany)),
            (
                "arguments",
                .objects(
                    arguments.map {
                        [("mode", .text($0.mode)), ("name", $0.name.map { .text($0) }), ("type", .text($0.type))]
                    })
            ),
        ]
    }
}
