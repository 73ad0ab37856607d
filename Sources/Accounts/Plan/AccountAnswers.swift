internal import AppFile
package import Asking
internal import Catalog

/// What becomes of rows, as an operator or a line of an app file says.
package enum AccountAnswer: String, Sendable, CaseIterable { case delete, detach, keep }

/// What an operator says about an account: about rows that others share, and about columns that hold the person although
/// nothing declares it.
package struct AccountAnswers: Sendable, Hashable {
    /// What becomes of rows that also belong to others; without an answer they count as deleted, and refuse.
    package var shared: AccountAnswer?
    /// What becomes of all columns.
    package var all: AccountAnswer?
    /// By `schema.table.column`, or `schema.table` for all of its columns and what triggers write into it.
    private var single: [String: AccountAnswer] = [:]
    /// What was named, and which names it may be: as SQL reads it, and letter by letter.
    private(set) var named: [String: Set<String>] = [:]

    package init(shared: AccountAnswer? = nil) { self.shared = shared }

    /// Reads what is said of columns: `ANSWER` and `SCHEMA.TABLE[.COLUMN]=ANSWER`, quoted as in SQL.
    package init(shared: AccountAnswer? = nil, columns texts: [String]) throws(Failure) {
        self.shared = shared
        for text in texts {
            let equals = text.lastIndex(of: "=")
            let word = equals.map { String(text[text.index(after: $0)...]) } ?? text
            guard let answer = AccountAnswer(rawValue: word) else {
                throw Failure(AccountRefusal.noAnswerForColumns(text))
            }
            guard let equals else {
                all = answer
                continue
            }
            guard let parts = SQLName.parts(ofPath: String(text[..<equals])), (2...3).contains(parts.count) else {
                throw Failure(AccountRefusal.noColumnToAnswer(text))
            }
            let path = String(text[..<equals])
            var names: Set = [parts.joined(separator: ".")]
            if !path.contains("\"") { names.insert(path) }
            named[path] = names
            for name in names { single[name] = answer }
        }
    }

    // MARK: On record

    private static let (sharedWord, undeclaredWord) = ("shared", "undeclared")

    /// As they are taken down.
    var arguments: [(String, String?)] {
        let columns = named.sorted { $0.key < $1.key }.map { path, names in
            ("\(Self.undeclaredWord) \(path)", names.first.flatMap { single[$0]?.rawValue })
        }
        return [(Self.sharedWord, shared?.rawValue), (Self.undeclaredWord, all?.rawValue)] + columns
    }

    /// What becomes of a column.
    subscript(table: String, column: String) -> AccountAnswer? {
        single["\(table).\(column)"] ?? single[table] ?? all
    }

    /// What becomes of a table that was named.
    subscript(table: String) -> AccountAnswer? { single[table] }
}

extension AccountAnswers {
    /// Refuses answers for columns that nobody would ask about, or for tables that are not there.
    func requireKnown(to model: AccountModel) throws(Failure) {
        let answered = model.edges.filter { edge in !edge.columns.isEmpty && edge.reference == nil }
        var known = Set(answered.map { "\(model.name($0.child)).\($0.columns[0])" })
        let tables = model.graph.tables.values.map(\.qualifiedName)
        known.formUnion(tables)
        for (path, names) in named.sorted(by: { $0.key < $1.key }) {
            let meant = known.intersection(names).sorted()
            if meant.isEmpty { throw Failure(AccountRefusal.notUndeclared(path)) }
            if meant.count > 1 { throw Failure(AccountRefusal.severalUndeclared(path, meant)) }
        }
    }
}
