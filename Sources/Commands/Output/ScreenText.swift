import AppFile
import Asking
import CommandLine
import PQ
import Terminal

/// Formats values and sentences for people; only a terminal cuts long texts.
struct ScreenText {
    private let mostBytes: Int
    let now: Instant
    /// The width of the terminal; nil for unlimited lines.
    let width: Int?
    let drawsUnicode: Bool
    /// The prefix of commands in advice: the program's name, or nothing in the console.
    let program: String
    private let notes: ScreenNotes

    /// Relative times count from `now`, or else from the time of the decisions.
    init(_ context: Context, now: String? = nil) {
        mostBytes = context.screen.isTerminal ? Self.most : .max
        (width, drawsUnicode) = (context.screen.widthLimit, context.screen.drawsUnicode)
        program = context.program
        notes = context.notes
        self.now = (now ?? notes.at).flatMap { Instant(rfc3339: MachineText.time($0)) } ?? Instant.now()
    }

    /// A line wrapped to the width that an indent leaves.
    func wrap(_ line: SafeText, beside indent: Int, hanging: Int = 0) -> [SafeText] {
        line.wrapped(to: width(beside: indent), indent: hanging)
    }

    func width(beside indent: Int) -> Int? { width.map { max(20, $0 - indent) } }

    /// A cell of a table, empty for NULL.
    func cell(_ value: Value) -> SafeText { value.isNull ? "" : self.value(value) }

    /// A value in a sentence or after a label.
    func value(_ value: Value, withDistance: Bool = false) -> SafeText {
        guard let text = MachineText.of(value) else { return ("not set" as SafeText).dim }
        if value.type == .boolean { return text == "true" ? "yes" : "no" }
        if let instant = Self.instant(value) {
            let clock = notes.clock(instant)
            return withDistance ? clock + (" (" + relative(instant) + ")").dim : clock
        }
        if value.type.holdsInstants { return instants(in: text) }
        return text.utf8.count > mostBytes ? Self.cut(text) : SafeText(text)
    }

    /// The time of a stored event, without “in 3 days” if the event is after the time of `--at`.
    func pastTime(_ value: Value) -> SafeText {
        self.value(value, withDistance: Self.instant(value).map { $0.seconds(since: now) <= 0 } ?? false)
    }

    /// The arguments of an operation, a JSON object, quoted as on a command line.
    func arguments(_ value: Value?) -> SafeText? {
        guard let json = value?.text.flatMap({ JSON(reading: $0) }), case .object(let members) = json else {
            return nil
        }
        let named = members.filter { $0.value != .null }.map { member in
            (member.key, member.value.scalar ?? member.value.text())
        }
        if named.isEmpty { return nil }
        return named.map { SafeText($0).dim + " " + instants(in: quoteWord($1), hasZones: true) }
            .joined(separator: ", ")
    }

    /// The old and the new value, with exact times if both values would otherwise look equal.
    func change(from before: Value, to after: Value) -> SafeText {
        var shown = (value(before), value(after))
        if shown.0 == shown.1, let first = Self.instant(before), let second = Self.instant(after), first != second {
            shown = (notes.clock(first, isExact: true), notes.clock(second, isExact: true))
        }
        if let (first, second) = Self.differing(before, after) { shown = (value(first), value(second)) }
        return shown.0 + " → " + shown.1.bold
    }

    /// Two JSON objects without the fields that are equal in both; nil for other values.
    private static func differing(_ before: Value, _ after: Value) -> (Value, Value)? {
        let objects = [before, after].compactMap { value -> [JSON.Member]? in
            guard value.type == .jsonb, case .object(let members)? = value.text.flatMap({ JSON(reading: $0) }) else {
                return nil
            }
            return members
        }
        guard objects.count == 2, objects[0].contains(where: objects[1].contains) else { return nil }
        let shown = [(objects[0], objects[1]), (objects[1], objects[0])].map { own, other in
            let members = own.filter { !other.contains($0) }
            let texts = members.map { "\(JSON.string($0.key).text()): \($0.value.text())" }
            return Value("{" + (["…"] + texts).joined(separator: ", ") + "}")
        }
        return (shown[0], shown[1])
    }

    /// A text, such as a list or a range, with its times in the operator's zone.
    ///
    /// With `hasZones`, times without a zone stay unchanged.
    func instants(in text: String, hasZones: Bool = false) -> SafeText {
        var (shown, rest): (SafeText, Substring) = ("", text[...])
        let instant = #/\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?<zone>[+\-]\d\d(?::\d\d)*)?(?: BC)?/#
        for match in text.matches(of: instant) {
            guard !hasZones || match.zone != nil, let instant = Instant(rfc3339: MachineText.time(String(match.0)))
            else { continue }
            shown += SafeText(String(rest[..<match.range.lowerBound])) + notes.clock(instant)
            rest = rest[match.range.upperBound...]
        }
        return shown + SafeText(String(rest))
    }

    /// The instant of a value whose type is a time.
    static func instant(_ value: Value) -> Instant? {
        value.type.isInstant ? MachineText.of(value).flatMap { Instant(rfc3339: $0) } : nil
    }

    func instant(_ text: String) -> SafeText { value(Value(text, type: .timestamptz)) }

    /// The value of a column in a row that the audit log stores as JSON.
    static func value(ofImage text: String?, _ type: TypeID) -> Value {
        // Booleans are `t` and `f` in Postgres, `true` and `false` in JSON.
        if type == .boolean { return Value(text.map { $0 == "true" ? "t" : "f" }, type: type) }
        return type.isInstant || type.holdsInstants || type == .jsonb ? Value(text, type: type) : Value(text)
    }

    /// The maximum number of bytes of a value on a terminal; programs get all bytes.
    private static let most = 4096

    private static func cut(_ text: String) -> SafeText {
        let shown = text.unicodeScalars.prefix(most)
        let left = text.unicodeScalars.count - shown.count
        return left == 0 ? SafeText(text) : SafeText(String(shown)) + "… (+" + SafeText("\(left)") + ")"
    }

    /// The relative time of an instant, such as `2 days ago`.
    func relative(_ instant: Instant) -> SafeText {
        SafeText(TimePhrase.relative(secondsFromNow: instant.seconds(since: now)))
    }

    /// A sentence with its facts filled in; each command in the sentence begins with `program`.
    ///
    /// In the console, `program` is empty. With `permission`, commands that change the database get the options that
    /// the operator needs.
    func sentence(_ sentence: FilledSentence, program: String = "", permission: Permission? = nil) -> SafeText {
        sentence.pieces.map { piece -> SafeText in
            switch piece {
            case .text(let text): SafeText(text)
            // A missing fact is shown as dots.
            case .hole: "…"
            case .value(let value): value.isNull ? "not set" : self.value(value, withDistance: true)
            case .command(let inner):
                (SafeText(program + FilledSentence.command(inner))
                    + (permission?.options(of: FilledSentence.words(of: inner)) ?? "")).bold.whole
            }
        }.joined()
    }
}

extension TypeID {
    /// True if values of this type are times; times without a zone are in UTC.
    var isInstant: Bool { self == .timestamptz || self == .timestamp }

    var holdsInstants: Bool {
        [1115, 1185, 3908, 3909, 3910, 3911, 4533, 4534, 6152, 6153].contains(rawValue)
    }
}
