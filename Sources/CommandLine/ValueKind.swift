import AppFile

/// The kind of a value, which decides how usher checks and completes the value.
package enum ValueKind: Sendable, Equatable {
    case text
    /// An id or an email, or `-` for standard input.
    case user
    case integer(ClosedRange<Int>?)
    /// A duration that isn't negative, perhaps with a fraction.
    case seconds
    /// A time, which only the command or the server can parse.
    case time
    case file
    case choice([Choice])
    /// One answer for all names, or `name=answer` for one name.
    case answer([Choice])
    /// `name=value`.
    case assignment
    case decision
    case app
    case topic
    /// The key of an object by its noun: an event, a code.
    case object(String)
    /// Another name that only the app or the database knows: `.named("state")`.
    case named(String)

    /// True if such values often contain blanks.
    var mayHaveBlanks: Bool {
        switch self {
        case .text, .object: true
        default: false
        }
    }
}

/// A value that the grammar lists, for an option, an argument or a completion.
package struct Choice: Sendable, Equatable, ExpressibleByStringLiteral {
    package var name: String
    /// The meaning; can be empty.
    package var summary: String
    /// A command with one of these traits accepts this value; nil means every command.
    package var needs: Command.Traits?

    package init(_ name: String, _ summary: String = "", needs: Command.Traits? = nil) {
        self.name = name
        self.summary = summary
        self.needs = needs
    }

    package init(stringLiteral name: String) {
        self.init(name)
    }
}

extension ValueKind {
    /// The reason why a value isn't of this kind, as the end of a sentence, with a hint; nil for a valid value.
    func objection(to value: String) -> (message: String, hint: String?)? {
        switch self {
        case .text, .time:
            nil
        case .user, .file, .decision, .app, .topic, .object, .named:
            value.isEmpty ? ("must not be empty", nil) : nil
        case .integer(let range):
            Int(value).map { range?.contains($0) ?? true } ?? false
                ? nil
                : (
                    "must be a whole number\(range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""), not `\(value)`",
                    nil
                )
        case .seconds:
            Self.isDecimal(value) && value.utf8.first != UInt8(ascii: "-")
                ? nil : ("must be a number of seconds, not `\(value)`", nil)
        case .choice(let choices):
            choiceObjection(to: value, names: choices.map(\.name))
        case .answer(let choices):
            choiceObjection(
                to: value.utf8.lastIndex(of: UInt8(ascii: "=")).map { String(value[value.utf8.index(after: $0)...]) }
                    ?? value,
                names: choices.map(\.name))
        case .assignment:
            value.utf8.firstIndex(of: UInt8(ascii: "=")).map { $0 > value.startIndex } ?? false
                ? nil : ("must be `name=value`, not `\(value)`", nil)
        }
    }

    private func choiceObjection(to value: String, names: [String]) -> (message: String, hint: String?)? {
        if names.contains(value) { return nil }
        let allowed = names.count == 1 ? names.joined() : "one of \(names.joined(separator: ", "))"
        return ("must be \(allowed), not `\(value)`", didYouMean(Nearest.names(to: value, among: names)))
    }

    /// True for a decimal number; `Double` also accepts `nan` and `0x1p3`.
    private static func isDecimal(_ value: String) -> Bool {
        value.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && Double(value)?.isFinite == true
    }
}
