package import AppFile
package import Asking
internal import Catalog

/// The answer of an operator or of a line of the app file about rows: delete, detach or keep.
package typealias AccountAnswer = App.Account.Refers.Answer

/// The answers of an operator about an account: `--shared` and `--undeclared`.
package struct AccountAnswers: Sendable, Hashable {
    /// The answer for rows shared with other users; without an answer, usher refuses the deletion.
    package var shared: AccountAnswer?
    package var all: AccountAnswer?
    /// The answers by `schema.table.column`, or by `schema.table` for all columns and for rows that triggers insert.
    private var single: [String: AccountAnswer] = [:]

    package init(shared: AccountAnswer? = nil) { self.shared = shared }

    /// Reads `ANSWER` and `SCHEMA.TABLE[.COLUMN]=ANSWER`, with names as in SQL.
    package init(shared: AccountAnswer? = nil, columns texts: [String]) throws(Failure) {
        self.shared = shared
        for text in texts {
            let equals = text.lastIndex(of: "=")
            let word = equals.map { String(text[text.index(after: $0)...]) } ?? text
            guard let answer = AccountAnswer(rawValue: word) else {
                throw Failure(
                    .usage, "--undeclared \(text): the answer must be delete, detach or keep",
                    hint: "write --undeclared delete, or --undeclared SCHEMA.TABLE.COLUMN=delete for one column")
            }
            guard let equals else {
                all = answer
                continue
            }
            guard let parts = SQLName.parts(ofPath: String(text[..<equals])), (2...3).contains(parts.count) else {
                throw Failure(
                    .usage, "--undeclared \(text): the part before = is not the name of a column",
                    hint: "write SCHEMA.TABLE.COLUMN, as `usher account plan` prints the column")
            }
            single[parts.joined(separator: ".")] = answer
        }
    }

    var arguments: [(String, String?)] {
        [("shared", shared?.rawValue), ("undeclared", all?.rawValue)]
            + single.sorted { $0.key < $1.key }.map { ("undeclared \($0.key)", $0.value.rawValue) }
    }

    subscript(table: String, column: String) -> AccountAnswer? {
        single["\(table).\(column)"] ?? single[table] ?? all
    }

    subscript(table: String) -> AccountAnswer? { single[table] }

    /// Refuses answers for columns that are declared, and for tables that do not exist.
    func requireKnown(to model: AccountModel) throws(Failure) {
        let undeclared = model.edges.filter { edge in !edge.columns.isEmpty && edge.reference == nil }
        var known = Set(undeclared.map { "\(model.name($0.child)).\($0.columns[0])" })
        known.formUnion(model.graph.tables.values.map(\.qualifiedName))
        if let unknown = single.keys.filter({ !known.contains($0) }).min() {
            throw Failure(
                .usage, "--undeclared \(unknown): this is not one of the undeclared columns",
                hint:
                    "`usher account plan` lists the undeclared columns; write names with capital letters in double quotes"
            )
        }
    }
}
