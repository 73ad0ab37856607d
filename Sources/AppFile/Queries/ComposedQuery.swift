/// A statement composed of fragments, with its values, and with a map from its bytes to places in app files.
package struct ComposedQuery: Sendable, Hashable {
    package let sql: String
    /// The values of the parameters `$1` and so on; nil stands for NULL.
    package let values: [String?]
    /// The indexes of the secret values.
    package let secrets: Set<Int>
    /// The statement that changes a setting of the server for this statement only; nil for most statements.
    package var setting: String?
    fileprivate let spans: [Span]

    struct Span: Sendable, Hashable {
        /// The bytes in the composed statement.
        let composed: Range<Int>
        /// The place in a file to which the bytes belong.
        let place: App.Place
        /// True if the bytes are a copy of the file; false if usher wrote them, so that all belong to one place.
        let isVerbatim: Bool
    }

    /// The place in an app file of the statement's last fragment; the fragments before it are only definitions.
    package var purpose: App.Place? { spans.last?.place }

    /// True if the statement contains a part of a fragment.
    package func includes(_ fragment: Fragment) -> Bool {
        spans.contains { $0.place.file == fragment.file && fragment.range.contains($0.place.offset) }
    }

    /// The place in an app file for a position that Postgres reported, in characters from 1; nil if usher wrote the SQL
    /// at the position.
    package func origin(ofPosition position: Int) -> App.Place? {
        guard position > 0 else { return nil }
        let byte = sql.unicodeScalars.prefix(position - 1).reduce(0) { $0 + UTF8.width($1) }
        guard let span = spans.first(where: { $0.composed.contains(byte) }) else { return nil }
        let distance = span.isVerbatim ? byte - span.composed.lowerBound : 0
        return span.place.file.place(at: span.place.offset + distance)
    }
}

extension ComposedQuery {
    /// Creates a statement of usher itself, which belongs to no place in a file.
    package init(engine sql: String, values: [String?] = [], setting: String? = nil) {
        self.init(sql: sql, values: values, secrets: [], setting: setting, spans: [])
    }
}

/// The value of a parameter in an app file, or the SQL for it, and its type.
package struct Binding: Sendable, Hashable {
    package let value: String?
    /// The Postgres type; with nil, Postgres infers the type at each use.
    package let type: String?
    /// True if the value is secret, so that usher doesn't show it.
    package let isSecret: Bool
    /// The SQL expression that returns the value; nil if the binding has a value.
    let expression: String?

    /// Creates a binding for a value of a type.
    package init(_ value: String?, type: String?, isSecret: Bool = false) {
        self.value = value
        self.type = type
        self.isSecret = isSecret
        expression = nil
    }

    /// Creates a binding for an SQL expression, which must be in brackets if a cast should apply to all of it.
    package init(expression: String, type: String?) {
        value = nil
        self.type = type
        isSecret = false
        self.expression = expression
    }

    /// Creates a binding for a constant of the app file: it becomes a literal, because operators can't choose it.
    init(constant: String?, type: String) {
        self.init(expression: Composer.literal(constant), type: type)
    }

    /// The SQL expression with a cast to its type; nil if the binding has a value.
    package var sql: String? { expression.map { $0 + (type.map { "::" + $0 } ?? "") } }
}

extension App {
    /// Composes a statement of the app, with the definitions that it needs as WITH queries.
    ///
    /// If the SQL is a part of a larger statement, `whole` is that statement, and determines which names are
    /// definitions.
    func compose(_ sql: SQL, of whole: Fragment? = nil, _ bindings: [String: Binding]) -> ComposedQuery {
        Composer.compose(sql, of: whole, for: self, bindings)
    }
}

/// Composes one statement from fragments: it adds definitions, replaces parameters, and records the places of bytes.
package struct Composer {
    private let app: App
    private let bindings: [String: Binding]
    private var sql: [UInt8] = []
    private var values: [String?] = []
    private var secrets: Set<Int> = []
    private var numbers: [String: Int] = [:]
    private var spans: [ComposedQuery.Span] = []

    fileprivate static func compose(
        _ sql: SQL, of whole: Fragment?, for app: App, _ bindings: [String: Binding]
    ) -> ComposedQuery {
        var composer = Composer(app: app, bindings: bindings)
        composer.write(definitionsFor: sql.pieces, of: whole)
        for piece in sql.pieces { composer.write(piece) }
        return ComposedQuery(
            sql: String(decoding: composer.sql, as: UTF8.self), values: composer.values, secrets: composer.secrets,
            spans: composer.spans)
    }

    private mutating func write(definitionsFor pieces: [SQL.Piece], of whole: Fragment?) {
        var fragments = whole.map { [$0] } ?? []
        var names: [String] = []
        for piece in pieces {
            switch piece {
            case .fragment(let fragment): fragments.append(fragment)
            case .definition(let name): names.append(name)
            case .text, .placed, .bound, .query: continue
            }
        }
        for (index, definition) in app.definitions(neededBy: fragments, and: names).enumerated() {
            write(index == 0 ? "with " : ",\n")
            write(Self.quoted(definition.name))
            if !definition.columns.isEmpty {
                write(" (" + definition.columns.map(Self.quoted).joined(separator: ", ") + ")")
            }
            // Like a view, a definition isn't materialized, so that Postgres can apply conditions inside it.
            write(" as not materialized (\n")
            write(definition.select)
            write(")")
        }
        if !sql.isEmpty { write("\n") }
    }

    private mutating func write(_ piece: SQL.Piece) {
        switch piece {
        case .text(let text): write(text)
        case .fragment(let fragment): write(fragment)
        case .placed(let text, let place):
            let range = sql.count..<(sql.count + text.utf8.count)
            spans.append(.init(composed: range, place: place, isVerbatim: true))
            write(text)
        case .bound(let binding, let name): write(placeholder(for: binding, called: name))
        case .definition(let name): write(Self.quoted(name))
        case .query(let name): write((sql.isEmpty ? "with " : ", ") + Self.quoted(name) + " as (\n")
        }
    }

    private mutating func write(_ text: String) { sql += text.utf8 }

    /// Copies a fragment with its parameters replaced; the newline ends a comment that the fragment may end with.
    private mutating func write(_ fragment: Fragment) {
        let fragment = app.absent.isEmpty ? fragment : fragment.without(app.absent)
        let file = fragment.file
        var copied = fragment.range.lowerBound
        for (index, token) in fragment.tokens.enumerated() {
            let place = token.range.lowerBound
            if case .absent(let sql) = token.kind {
                copy(copied..<place, of: file)
                let start = self.sql.count
                write(sql)
                remember(start..<self.sql.count, of: file, at: place)
                copied = token.range.upperBound
            }
            guard token.kind == .parameter else { continue }
            copy(copied..<place, of: file)
            // A parameter can follow a word without a space, so a space separates its value from the word.
            if place > fragment.range.lowerBound, Lexer.continuesName(file.bytes[place - 1]) { write(" ") }
            let start = sql.count
            let bound = placeholder(for: fragment.name(ofParameter: token))
            let next = fragment.tokens.indices.contains(index + 1) ? fragment.tokens[index + 1] : token
            // After a cast, Postgres would read a bracket or a dot as a part of the type.
            let needsBrackets = ["[", "(", "."].contains(file.text(next.range))
            write(needsBrackets ? "(\(bound))" : bound)
            remember(start..<sql.count, of: file, at: place)
            copied = token.range.upperBound
        }
        copy(copied..<fragment.range.upperBound, of: file)
        // If Postgres reports an error at the bracket that usher adds, the mistake is at the end of the fragment.
        remember(sql.count..<(sql.count + 2), of: file, at: fragment.range.upperBound)
        write("\n")
    }

    private mutating func copy(_ range: Range<Int>, of file: SourceFile) {
        remember(sql.count..<(sql.count + range.count), of: file, at: range.lowerBound, isVerbatim: true)
        sql += file.bytes[range]
    }

    private mutating func remember(
        _ composed: Range<Int>, of file: SourceFile, at offset: Int, isVerbatim: Bool = false
    ) {
        let place = file.place(at: offset)
        spans.append(.init(composed: composed, place: place, isVerbatim: isVerbatim))
    }

    private mutating func placeholder(for name: String) -> String {
        guard let binding = bindings[name] else {
            if let constant = app.constants.first(where: { $0.name == name }) {
                return placeholder(
                    for: Binding(constant: constant.defaultValue, type: constant.boundType), called: name)
            }
            // Without a binding for the time, `:now` is the start of the transaction.
            return name == "now" ? "pg_catalog.transaction_timestamp()" : "null"
        }
        return placeholder(for: binding, called: name)
    }

    /// The SQL for a binding; uses of the same name and type share one parameter.
    private mutating func placeholder(for binding: Binding, called name: String?) -> String {
        if let sql = binding.sql { return sql }
        let cast = binding.type.map { "::" + $0 } ?? ""
        // Postgres rejects a parameter for which it infers two types, so each use without a type gets its own parameter.
        let shared = binding.type == nil ? nil : name
        if let number = shared.flatMap({ numbers[$0] }) { return "$\(number)\(cast)" }
        if binding.isSecret { secrets.insert(values.count) }
        values.append(binding.value)
        if let shared { numbers[shared] = values.count }
        return "$\(values.count)\(cast)"
    }

    /// The SQL literal for a text; it doesn't depend on server settings, and is NULL for nil.
    package static func literal(_ text: String?) -> String {
        guard let text else { return "null" }
        var literal = "'"
        for scalar in text.unicodeScalars {
            literal.unicodeScalars.append(scalar)
            if scalar == "'" || scalar == "\\" { literal.unicodeScalars.append(scalar) }
        }
        return (text.unicodeScalars.contains("\\") ? "E" : "") + literal + "'"
    }

    /// A name as SQL, always in double quotes.
    package static func quoted(_ name: String) -> String {
        let quote = UInt8(ascii: "\"")
        let doubled = name.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }
}
