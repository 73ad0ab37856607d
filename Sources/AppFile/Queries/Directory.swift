/// Composes queries that find users, with the help of indexes.
///
/// Each query is a condition on the `@users` select. If usher knows the tables of this select, the query first finds
/// candidate keys in the tables themselves, so that Postgres can use their indexes.
package struct Directory: Sendable {
    package var app: App
    private let bindings: [String: Binding]
    package let source: DirectorySource?
    /// By term, the column before the term in its index, if there is one; that column has few values.
    package var leads: [DirectorySource.Base: String] = [:]
    /// The terms whose lower-case texts are sorted in an index, each with the column before the term, if any.
    ///
    /// If the order is by code points, Postgres uses the index for a range, otherwise for a LIKE pattern.
    package var sorted: [DirectorySource.Base: (isByCodePoints: Bool, lead: String?)] = [:]
    /// The terms with a trigram index, each with the schema of the index operators.
    package var trigrams: [DirectorySource.Base: String] = [:]

    /// Creates the directory of an app, without any known indexes.
    package init(_ app: App, _ bindings: [String: Binding] = [:]) {
        self.app = app
        self.bindings = bindings
        source = app.users.source
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
    private var mark: SQL {
        """
        pg_catalog.set_config('\(unsafe: UserKey.setting)', \
        case when pg_catalog.count(*) over () = 1 then \(key)::text else '' end, true)
        """
    }

    // MARK: One text

    /// Finds the users whose key or email equals a text; with `column`, the users with the text in this column.
    ///
    /// The first columns are the key as text, the name of the key's type, and the stored key for later statements. The
    /// facts follow.
    package func resolution(
        of text: String, by way: Way, in column: String? = nil, limit: Int = App.mostCandidates + 1
    ) -> ComposedQuery {
        let condition: SQL
        switch way {
        case .key: condition = "\(key) = \(text, type: nil)"
        case .keyText: condition = "\(key)::text = \(text, type: "text")"
        case .letters, .address:
            let test: Test = way == .letters ? { "(\($0))::text = \(text, type: "text")" } : isAddress(text)
            let columns = column.map { [$0] } ?? app.users.emails
            condition = "\(candidates(columns, test))\(anyOf(columns, test))"
        }
        let own = column == nil ? mark : "null::pg_catalog.text"
        return compose("\(head(own))\(condition) limit \(limit)")
    }

    // MARK: Many texts

    /// Finds the users that many texts identify.
    ///
    /// The columns are the text, the key, the name of the key's type, and an email. `keys` are the texts that are valid
    /// keys, with the type of the key; without `keys`, usher compares keys as text. Any text can be an email.
    package func resolution(ofMany texts: Binding, keys: Binding?) -> ComposedQuery {
        func select(_ texts: Binding) -> SQL {
            "select t.text, \(.keyed(key)), \(address) from rows from (pg_catalog.unnest(\(texts))"
        }
        let byKey: SQL? = keys.map { keys in
            """
            \(select(Binding(keys.value, type: "text[]"))), pg_catalog.unnest(\(keys))) as t (text, key) \
            join \(definition: "users") u on \(key) = t.key
            """
        }
        var selects = [
            byKey ?? "\(select(texts))) as t (text) join \(definition: "users") u on \(key)::text = t.text"
        ]
        // Each email column has its own equality, for which Postgres can use a hash if there is no index. With one
        // condition for all email columns, Postgres would compare row by row.
        for email in app.users.emails {
            let candidates = candidates([email]) { value in
                """
                pg_catalog.lower((\(value))::text) in (\
                select pg_catalog.lower(t) from pg_catalog.unnest(\(texts)) t)
                """
            }
            selects.append(
                """
                \(select(texts))) as t (text) join \(definition: "users") u \
                on \(lowered(email)) = pg_catalog.lower(t.text) where \(candidates)true
                """)
        }
        return compose(selects.joined(separator: " union "))
    }

    /// The keys as text, each with an email, of the users with some keys.
    package func addresses(ofKeys keys: Binding) -> ComposedQuery {
        compose("select \(key)::text, \(address) from \(definition: "users") u where \(key) = any(\(keys))")
    }

    // MARK: Parts

    var key: SQL { "u.\(name: app.users.key)" }

    private var address: SQL { app.users.emails.first.map { "u.\(name: $0)::text" } ?? "null::pg_catalog.text" }

    func lowered(_ column: String) -> SQL { "pg_catalog.lower(u.\(name: column)::text)" }

    /// The SELECT and FROM of the query; the columns are the key as text, the name of the key's type, the expression
    /// `own`, and the facts.
    func head(_ own: SQL) -> SQL { "select \(.keyed(key)), \(own), u.* from \(definition: "users") u where " }

    /// The condition that at least one of some columns passes a test; false if there are no columns.
    private func anyOf(_ columns: [String], _ test: Test) -> SQL {
        columns.isEmpty ? "(false)" : "(\(columns.map { test("u.\(name: $0)") }.joined(separator: " or ")))"
    }

    /// The beginning of a condition that admits only candidates whose terms pass a test; nil if usher doesn't know the
    /// terms.
    private func candidates(_ columns: [String], _ test: Test) -> SQL? {
        guard let source, let terms = source.terms(of: columns), !terms.isEmpty else { return nil }
        let all = terms.flatMap { term in
            behind(term.base.flatMap { leads[$0] }, of: term).map { lead in
                branch(term) { value in "\(test(value))\(lead)" }
            }
        }
        return "\(key) = any(array(\(Self.united(all)))) and "
    }

    /// Selects the keys of the rows in which a term passes a test.
    func branch(_ term: DirectorySource.Term, limit: Int? = nil, _ test: Test) -> SQL {
        let end: SQL? = limit.map { " limit \($0)" }
        return "\n(select \(source?.rows)\(test(term.expression))\(end))"
    }

    /// Combines selects of candidates into one select, so that each can use its own index.
    static func united(_ branches: [SQL]) -> SQL { branches.joined(separator: " union all ") }

    /// The conditions on the column before a term in its index, one for values and one for NULL; together they match
    /// every row.
    func behind(_ lead: String?, of term: DirectorySource.Term) -> [SQL] {
        guard let base = term.base, let lead else { return [""] }
        let column: SQL = "\(name: base.alias).\(name: lead)"
        let values: SQL = "select l.\(name: lead) from \(unsafe: base.table.quoted) l where l.\(name: lead)"
        // The recursive query jumps from each value to the next one in the index.
        let all: SQL = """
             and \(column) = any(array(with recursive lead (value) as (
            (\(values) is not null order by 1 limit 1) union all
            select (\(values) > lead.value order by 1 limit 1) from lead where lead.value is not null)
            select value from lead where value is not null))
            """
        return [all, " and \(column) is null"]
    }

    /// The condition that a value meets.
    typealias Test = (_ value: SQL) -> SQL

    private func isAddress(_ text: String) -> Test {
        { value in "pg_catalog.lower((\(value))::text) = pg_catalog.lower(\(text, type: "text"))" }
    }

    func compose(_ sql: SQL) -> ComposedQuery { app.compose(sql, bindings) }
}

extension DirectorySource {
    /// The beginning of a select of keys with its FROM and WHERE, to which further conditions are added.
    fileprivate var rows: SQL {
        let filter: SQL? = condition.map { "(\($0)) and " }
        return "(\(key.expression)) \(from) where \(filter)"
    }
}

extension App {
    /// The largest number of users that usher lists if several users have the same email.
    package static let mostCandidates = 10
}
