/// Composes queries that find users, with the help of indexes.
///
/// Each query is a condition on the `@users` select. If usher knows the tables of this select, the query first finds
/// candidate keys in the tables themselves, so that Postgres can use their indexes.
package struct Directory: Sendable {
    package let app: App
    private let bindings: [String: Binding]
    package let source: DirectorySource?
    /// By term, the column before the term in its index, if there is one; that column has few values.
    package var leads: [DirectorySource.Base: String] = [:]
    /// For each term with an index on its lower-case text: the sort order of the index, and the column before the term,
    /// if any.
    package var orders: [DirectorySource.Base: (order: Order, lead: String?)] = [:]
    /// The terms with a trigram index, each with the schema of the index operators.
    package var trigrams: [DirectorySource.Base: String] = [:]

    /// Creates the directory of an app, without any known indexes.
    package init(_ app: App, _ bindings: [String: Binding] = [:]) {
        self.app = app
        self.bindings = bindings
        source = app.users.source
    }

    /// A sort order in which all texts with the same prefix are next to each other.
    package enum Order: Sendable, Hashable {
        /// The order of bytes, with a special operator class of the index.
        case pattern
        /// The order of code points, in the collation of the index; nil for the collation of the column.
        case codePoints(collation: String?)
    }

    /// The ways in which a text can identify a user.
    package enum Way: Sendable, CaseIterable {
        /// The key, compared in its own type, so that Postgres can use the index of the key.
        case key
        /// The key as text, for key types that only Postgres can parse.
        case keyText
        /// An email that has exactly the typed letters.
        case letters
        /// An email that matches in any letter case.
        case address
    }

    /// The expression that stores the key of the found user for later statements; the key is empty if there are several
    /// users.
    private static func mark(_ key: String) -> String {
        let only = "case when pg_catalog.count(*) over () = 1 then \(key)::text else '' end"
        return "pg_catalog.set_config('\(UserKey.setting)', \(only), true)"
    }

    // MARK: One text

    /// Finds the users whose key or email equals a text; with `column`, the users with the text in this column.
    ///
    /// The first columns are the key as text, the name of the key's type, and the stored key for later statements. The
    /// facts follow.
    package func resolution(
        of text: String, by way: Way, in column: String? = nil, limit: Int = App.mostCandidates + 1
    ) -> ComposedQuery {
        var pieces = head(column == nil ? Self.mark(key) : "null::pg_catalog.text")
        switch way {
        case .key: pieces += [.text("\(key) = "), .value(text, type: nil)]
        case .keyText: pieces += [.text("\(key)::text = "), .value(text, type: "text")]
        case .letters, .address:
            let test = way == .letters ? isWritten(text) : isAddress(text)
            let columns = column.map { [$0] } ?? app.users.emails
            pieces += candidates(columns, test) + anyOf(columns, test)
        }
        return compose(pieces + [.text(" limit \(limit)")])
    }

    // MARK: Many texts

    /// Finds the users that many texts identify.
    ///
    /// The columns are the text, the key, the name of the key's type, and an email. `keys` are the texts that are valid
    /// keys, and `written` are the texts that only Postgres can parse as keys. Any text can be an email.
    package func resolution(
        ofMany texts: [String], keys: [String], written: [String], type: String
    ) -> ComposedQuery {
        let address = app.users.emails.first.map { "u.\(Composer.quoted($0))::text" } ?? "null"
        let selected = "select t.text, \(Composer.keyed(key)), \(address) from rows from (pg_catalog.unnest("
        var pieces: [Composer.Piece] = [.text(selected), .value(Composer.array(keys), type: "text[]")]
        pieces += [.text("), pg_catalog.unnest("), .value(Composer.array(keys), type: type + "[]")]
        pieces += [.text(")) as t (text, key) join "), .definition("users")]
        pieces.append(.text(" u on \(key) = t.key"))
        if !written.isEmpty {
            pieces += [.text(" union "), .text(selected), .value(Composer.array(written), type: "text[]")]
            pieces += [.text(")) as t (text) join "), .definition("users"), .text(" u on \(key)::text = t.text")]
        }
        let isAmong: [Composer.Piece] =
            [.text(" in (select pg_catalog.lower(t) from pg_catalog.unnest(")]
            + [.value(Composer.array(texts), type: "text[]"), .text(") t)")]
        // Each email column has its own equality, for which Postgres can use a hash if there is no index. With one
        // condition for all email columns, Postgres would compare row by row.
        for email in app.users.emails {
            pieces += [.text(" union "), .text(selected), .value(Composer.array(texts), type: "text[]")]
            pieces += [.text(")) as t (text) join "), .definition("users")]
            pieces += [.text(" u on \(lowered(email)) = pg_catalog.lower(t.text) where ")]
            pieces += candidates([email]) { [.text("pg_catalog.lower((")] + $0 + [.text(")::text)")] + isAmong }
            pieces.append(.text("true"))
        }
        return compose(pieces)
    }

    /// The keys as text, each with an email, of the users with some keys.
    package func addresses(ofKeys keys: [String], type: String) -> ComposedQuery {
        let address = app.users.emails.first.map { "u.\(Composer.quoted($0))::text" } ?? "null::pg_catalog.text"
        return compose(
            [.text("select \(key)::text, \(address) from "), .definition("users"), .text(" u where \(key) = any(")]
                + [.value(Composer.array(keys), type: type + "[]"), .text(")")])
    }

    // MARK: Pieces

    var key: String { "u.\(Composer.quoted(app.users.key))" }

    func lowered(_ column: String) -> String { "pg_catalog.lower(u.\(Composer.quoted(column))::text)" }

    /// The SELECT and FROM of the query; the columns are the key as text, the name of the key's type, the expression
    /// `own`, and the facts.
    func head(_ own: String) -> [Composer.Piece] {
        [.text("select \(Composer.keyed(key)), \(own), u.* from "), .definition("users"), .text(" u where ")]
    }

    /// The condition that at least one of some columns passes a test; false if there are no columns.
    func anyOf(_ columns: [String], _ test: Test) -> [Composer.Piece] {
        var pieces: [Composer.Piece] = [.text(columns.isEmpty ? "(false" : "(")]
        for (index, column) in columns.enumerated() {
            pieces += (index == 0 ? [] : [.text(" or ")]) + test([.text("u.\(Composer.quoted(column))")])
        }
        return pieces + [.text(")")]
    }

    /// The beginning of a condition that admits only candidates whose terms pass a test; empty if usher doesn't know
    /// the terms.
    func candidates(_ columns: [String], _ test: Test) -> [Composer.Piece] {
        guard let source, let terms = source.terms(of: columns), !terms.isEmpty else { return [] }
        let all = terms.flatMap { term in
            behind(term.base.flatMap { leads[$0] }, of: term).map { lead in branch(term) { test($0) + lead } }
        }
        return [.text("\(key) = any(array(")] + Self.united(all) + [.text(")) and ")]
    }

    /// Selects the keys of the rows in which a term passes a test.
    func branch(_ term: DirectorySource.Term, limit: Int? = nil, _ test: Test) -> [Composer.Piece] {
        let end = limit.map { " limit \($0))" } ?? ")"
        return [.text("\n(select ")] + (source?.rows ?? []) + test(term.expression) + [.text(end)]
    }

    /// Combines selects of candidates into one select, so that each can use its own index.
    static func united(_ branches: [[Composer.Piece]]) -> [Composer.Piece] {
        Array(branches.joined(separator: [.text(" union all ")]))
    }

    /// The conditions on the column before a term in its index, one for values and one for NULL; together they match
    /// every row.
    func behind(_ lead: String?, of term: DirectorySource.Term) -> [[Composer.Piece]] {
        guard let base = term.base, let lead else { return [[]] }
        let column = Composer.quoted(base.alias) + "." + Composer.quoted(lead)
        let values = "select l.\(Composer.quoted(lead)) from \(base.table.quoted) l where l.\(Composer.quoted(lead))"
        // The recursive query jumps from each value to the next one in the index.
        let all = """
             and \(column) = any(array(with recursive lead (value) as (
            (\(values) is not null order by 1 limit 1) union all
            select (\(values) > lead.value order by 1 limit 1) from lead where lead.value is not null)
            select value from lead where value is not null))
            """
        return [[.text(all)], [.text(" and \(column) is null")]]
    }

    typealias Test = (_ value: [Composer.Piece]) -> [Composer.Piece]

    func isAddress(_ text: String) -> Test {
        { value in
            [.text("pg_catalog.lower((")] + value + [.text(")::text) = pg_catalog.lower("), .value(text, type: "text")]
                + [.text(")")]
        }
    }

    private func isWritten(_ text: String) -> Test {
        { value in [.text("(")] + value + [.text(")::text = "), .value(text, type: "text")] }
    }

    func compose(_ pieces: [Composer.Piece]) -> ComposedQuery { app.compose(pieces, bindings) }
}

extension DirectorySource {
    /// The beginning of a select of keys with its FROM and WHERE, to which further conditions are added.
    var rows: [Composer.Piece] {
        var pieces: [Composer.Piece] =
            [.text("(")] + key.expression + [.text(") from "), .fragment(from), .text(" where ")]
        if let condition { pieces += [.text("("), .fragment(condition), .text(") and ")] }
        return pieces
    }
}

extension App {
    /// The largest number of users that usher lists if several users have the same email.
    package static let mostCandidates = 10
}
