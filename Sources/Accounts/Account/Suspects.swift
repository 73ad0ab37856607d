internal import AppFile
package import Asking

/// Columns that hold the person although nothing declares it: reported, and acted on only when somebody says how.
package struct Suspect: Sendable, Hashable {
    package enum Kind: String, Sendable { case key, list, text, json }

    package let table: String
    package let column: String
    /// The column as `--suspected` and a line of an app file take it.
    package let path: String
    package let kind: Kind
    /// Rows that hold the id or an address, besides those that the deletion takes anyway.
    package let rows: Int
    /// Whether the person is all that a text holds in each of them.
    package let isWhole: Bool
    /// Whether it is a materialized view, which nothing but a refresh changes, or another server's table.
    package let isCopy: Bool
    let isForeign: Bool
    /// The tables whose rows it refers to, where those go and no foreign key says so.
    package internal(set) var refersTo: [String] = []
    /// Whether it is the other way round: those refer to it, and nobody else's rows do.
    var isHalf = false
    /// Why nobody can tell whether it holds them.
    var trouble: String?

    /// The column with its table.
    package var name: String { "\(table).\(column)" }

    package var why: String {
        if let trouble { return "cannot be looked into: \(trouble)" }
        if isHalf { return "rows that go of \(refersTo.joined(separator: ", ")) refer to it, and nobody else's" }
        if !refersTo.isEmpty {
            let refers = kind == .list ? "lists" : "refers to"
            return "\(refers) rows that go of \(refersTo.joined(separator: ", ")), without a foreign key"
        }
        if isForeign { return "a foreign table: only its own server should change it" }
        if isCopy { return "a materialized view: refresh it" }
        return switch kind {
        case .key: "holds the id, without a foreign key"
        case .list: "lists the id"
        case .text where isWhole: "holds the id or an address as text"
        case .text, .json: "mentions the id or an address"
        }
    }

    static func inOrder(_ suspects: [Suspect]) -> [Suspect] {
        suspects.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}

/// What an operator says about columns that hold the person although nothing declares it.
package enum SuspectAnswer: String, Sendable, CaseIterable { case delete, detach, keep }

/// The answers: one for all columns, and others for single columns or tables.
package struct SuspectAnswers: Sendable, Hashable {
    package var all: SuspectAnswer?
    /// By `schema.table.column`, or `schema.table` for all of its columns and what triggers write into it.
    private var single: [String: SuspectAnswer] = [:]
    /// What was named, and which names it may be: as SQL reads it, and letter by letter.
    private(set) var named: [String: Set<String>] = [:]

    package init() {}

    /// Reads `ANSWER` and `SCHEMA.TABLE[.COLUMN]=ANSWER`, quoted as in SQL.
    package init(_ texts: [String]) throws(Failure) {
        for text in texts {
            let equals = text.lastIndex(of: "=")
            let word = equals.map { String(text[text.index(after: $0)...]) } ?? text
            guard let answer = SuspectAnswer(rawValue: word) else {
                throw Failure(
                    .usage, "--suspected \(text): the answer is delete, detach or keep",
                    hint: "write --suspected delete, or --suspected SCHEMA.TABLE.COLUMN=delete for one column")
            }
            guard let equals else {
                all = answer
                continue
            }
            guard let parts = SQLName.parts(ofPath: String(text[..<equals])), (2...3).contains(parts.count) else {
                throw Failure(
                    .usage, "--suspected \(text) names no column",
                    hint: "write it with its schema and table, as `usher account plan` does")
            }
            let path = String(text[..<equals])
            var names: Set = [parts.joined(separator: ".")]
            if !path.contains("\"") { names.insert(path) }
            named[path] = names
            for name in names { single[name] = answer }
        }
    }

    /// Says what becomes of a column, `schema.table.column`.
    mutating func set(_ name: String, _ answer: SuspectAnswer) { single[name] = answer }

    /// What becomes of a column.
    subscript(table: String, column: String) -> SuspectAnswer? {
        single["\(table).\(column)"] ?? single[table] ?? all
    }

    /// What becomes of a table that was named.
    subscript(table: String) -> SuspectAnswer? { single[table] }
}
