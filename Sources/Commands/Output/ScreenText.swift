import AppFile
import Asking
import CommandLine
import PQ
import Terminal

/// How values and sentences look to people.
///
/// They look the same on a terminal and in a pipe, except that a pipe gets long texts whole.
struct ScreenText {
    private let mostBytes: Int
    /// The instant that distances count from.
    let now: Instant
    private let notes: ScreenNotes

    /// Distances count from an instant that is known, or else from that which is asked about.
    init(_ context: Context, now: String? = nil) {
        mostBytes = context.screen.isTerminal ? Self.most : .max
        notes = context.notes
        self.now = (now ?? notes.at).flatMap { Instant(rfc3339: MachineText.time($0)) } ?? Instant.now()
    }

    /// A cell of a table; NULL leaves it empty.
    func cell(_ value: Value) -> SafeText { value.isNull ? "" : self.value(value) }

    /// A value in a sentence or beside a label.
    func value(_ value: Value, withDistance: Bool = false) -> SafeText {
        guard let text = MachineText.of(value) else { return ("not set" as SafeText).dim }
        if value.type == .boolean { return text == "true" ? "yes" : "no" }
        if let instant = Self.instant(value) {
            let clock = notes.clock(instant)
            return withDistance ? clock + distance(to: instant) : clock
        }
        if value.type.holdsInstants { return instants(in: text) }
        return text.utf8.count > mostBytes ? Self.cut(text) : SafeText(text)
    }

    /// The arguments of an operation, a JSON object, as named values as they are typed.
    func arguments(_ value: Value?) -> SafeText? {
        guard let json = value?.text.flatMap({ JSON(reading: $0) }), case .object(let members) = json else {
            return nil
        }
        let named = members.filter { $0.value != .null }.map { member in
            (member.key, member.value.scalar ?? member.value.text())
        }
        return named.isEmpty
            ? nil : named.map { SafeText($0).dim + " " + SafeText(quoteWord($1)) }.joined(separator: ", ")
    }

    /// A value and what became of it, exactly where two times would look the same.
    func change(from before: Value, to after: Value) -> SafeText {
        var shown = (value(before), value(after))
        if shown.0 == shown.1, let first = Self.instant(before), let second = Self.instant(after), first != second {
            shown = (notes.clock(first, isExact: true), notes.clock(second, isExact: true))
        }
        return shown.0 + " → " + shown.1.bold
    }

    /// A list or a range of instants: each stands in quotes, since it has a blank.
    private func instants(in text: String) -> SafeText {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        return parts.map { part in
            // In a list of ranges a backslash goes before each quote.
            let (time, rest) = part.last == "\\" ? (String(part.dropLast()), "\\") : (part, "")
            return Instant(rfc3339: MachineText.time(time)).map { notes.clock($0) + SafeText(rest) } ?? SafeText(part)
        }.joined(separator: "\"")
    }

    private static func instant(_ value: Value) -> Instant? {
        value.type.isInstant ? MachineText.of(value).flatMap { Instant(rfc3339: $0) } : nil
    }

    /// An instant as the server writes it.
    func instant(_ text: String) -> SafeText { value(Value(text, type: .timestamptz)) }

    /// A cell of a row that was recorded as JSON, in a column of a type.
    static func value(ofImage text: String?, _ type: TypeID) -> Value {
        // Postgres writes a truth in one letter, and JSON in a word.
        if type == .boolean { return Value(text.map { $0 == "true" ? "t" : "f" }, type: type) }
        return type.isInstant || type.holdsInstants ? Value(text, type: type) : Value(text)
    }

    /// The bytes of a value that anybody reads on a terminal; programs get all of them.
    private static let most = 4096

    private static func cut(_ text: String) -> SafeText {
        let shown = text.unicodeScalars.prefix(most)
        let left = text.unicodeScalars.count - shown.count
        return left == 0 ? SafeText(text) : SafeText(String(shown)) + "… (+" + SafeText("\(left)") + ")"
    }

    private func distance(to instant: Instant) -> SafeText {
        (" (" + SafeText(TimePhrase.relative(secondsFromNow: instant.seconds(since: now))) + ")").dim
    }

    /// A sentence with its facts filled in; `program` stands in front of its commands, empty where they are typed without.
    func sentence(_ sentence: FilledSentence, program: String = "") -> SafeText {
        sentence.pieces.map { piece -> SafeText in
            switch piece {
            case .text(let text): SafeText(text)
            // A sentence that does not hold has nothing to say there.
            case .hole: "…"
            case .value(let value): value.isNull ? "nothing" : self.value(value, withDistance: true)
            case .command(let inner): SafeText(program + FilledSentence.command(inner)).bold.whole
            }
        }.joined()
    }
}

extension TypeID {
    /// Whether values of this type are instants; what has no zone is in UTC.
    var isInstant: Bool { self == .timestamptz || self == .timestamp }

    /// Whether they are lists or ranges of instants.
    var holdsInstants: Bool {
        [1115, 1185, 3908, 3909, 3910, 3911, 4533, 4534, 6152, 6153].contains(rawValue)
    }
}
