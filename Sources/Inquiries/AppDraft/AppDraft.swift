internal import AppFile
package import Asking
internal import Catalog
package import PQ

/// Drafts an app file for a database from its catalog.
///
/// The draft is short, and a developer completes it. It contains the users, the most important tables, columns with few
/// values, and secrets.
package struct AppDraft {
    let schema: Schema
    let root: Schema.Table
    let key: Schema.TableColumn
    /// The table with one row for each user that describes the user, such as the profiles of auth.users.
    let profile: Schema.Table?
    /// The allowed values of each column that allows only a few values.
    let values: AllowedValues
    /// The few values that usher found in text columns whose types allow any text.
    let seen: AllowedValues
    /// The schema, table and name of each column that usher should hide.
    let secrets: Set<[String]>
    /// The meanings of words in the names of tables and columns.
    let words: Lexicon
    /// The names that usher itself uses, so that an app can't use them.
    let taken: Set<String>
    /// The platform files that the draft includes.
    let included: [App]

    /// Drafts an app file; throws if usher can't find the table of users.
    ///
    /// usher recognizes the table of users by names and references, unless the caller gives the table and its key.
    package static func text(
        named name: String, root given: (table: String, key: String)? = nil, taken: Set<String> = [],
        on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> String {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answers = try transaction.ask([Schema.query, Lexicon.query] + Graph.queries)
        let graph = try failing(try Graph(tables: answers[2], references: answers[3]))
        let words = try failing(try Lexicon(answers[1]))
        let schema = try failing(try Schema(answers[0], graph)).withReferencesByName(words)
        let found = candidates(in: schema, words)
        let platforms = AppLibrary.platforms.filter { $0.fits(schema) }
        let ofApp = found.first { table in !platforms.contains { $0.covers(table) } }
        let root = given.map { schema.table($0.table) } ?? ofApp ?? found.first
        guard let root, let key = given.map({ root.column($0.key) }) ?? root.key.first else {
            throw Failure(
                .notFound,
                "no users table found; usher needs a table with a primary key of one column, and with a name such as "
                    + "users, an email column or ten references to it",
                hint: "choose the table: `usher app init NAME --root TABLE`")
        }
        let included = included(platforms, root, key)
        let left = schema.tables.filter { table in !included.contains { $0.covers(table) } }
        let draft = try AppDraft(schema.with(only: left), root, key, words, taken, included, transaction)
        try failing { () throws(PQError) in try transaction.end() }
        return draft.text(named: name)
    }

    private init(
        _ schema: Schema, _ root: Schema.Table, _ key: Schema.TableColumn, _ words: Lexicon, _ taken: Set<String>,
        _ included: [App], _ transaction: ReadTransaction
    ) throws(Failure) {
        self.schema = schema
        self.included = included
        (self.root, self.key) = (root, key)
        self.words = words
        self.taken = taken
        profile = Self.profile(of: root, in: schema)
        let tables = schema.tables
        let answers = try transaction.ask([
            AllowedValues.query(of: tables.flatMap { $0.columns.map(\.origin) }),
            words.secretColumns(of: tables.map { ($0.schema, $0.name) }), words.seenStandings,
        ])
        values = try failing(try AllowedValues(answers[0]))
        seen = try failing(try AllowedValues(answers[2]))
        secrets = try failing { () throws(PQError) in
            Set(
                try answers[1].rows.map { row throws(PQError) in
                    [try row.text("schema"), try row.text("name"), try row.text("column")]
                })
        }
    }

    /// The platform files for this table of users, and the files that need only the columns id and email of any table
    /// of users.
    ///
    /// If two files declare the same kind of object, the file with more requirements is included.
    private static func included(_ platforms: [App], _ root: Schema.Table, _ key: Schema.TableColumn) -> [App] {
        let isPlain = key.name == "id" && root.column("email") != nil
        let fitting = platforms.filter { file in
            file.account.map { $0.root == "\(root.sql).\(key.sql)" } ?? (isPlain && !file.covers(root))
        }
        var included: [App] = []
        for file in fitting.sorted(by: { ($1.requires.count, $0.name) < ($0.requires.count, $1.name) }) {
            let nouns = Set(included.flatMap(\.objects).map(\.noun))
            if nouns.isDisjoint(with: file.objects.map(\.noun)) { included.append(file) }
        }
        return included
    }

    private static func profile(of root: Schema.Table, in schema: Schema) -> Schema.Table? {
        schema.references.lazy.filter { reference in
            reference.referenced == root.qualifiedName && reference.columns.count == 1
                && schema.table(reference.table)?.key.map(\.name) == reference.columns
        }.compactMap { schema.table($0.table) }.filter { $0.schema != root.schema || $0.schema == "public" }.max {
            $0.columns.count < $1.columns.count
        }
    }

    /// The tables that may contain the users; the table with the highest score comes first.
    private static func candidates(in schema: Schema, _ words: Lexicon) -> [Schema.Table] {
        var referring: [String: Int] = [:]
        for reference in schema.references { referring[reference.referenced, default: 0] += 1 }
        let found = schema.tables.filter { $0.key.count == 1 }.map { table in
            (table: table, points: likeness(table, referring[table.qualifiedName] ?? 0, words))
        }.filter { $0.points > 0 }
        // A user's email column is named `email`. A column such as `support_email` may belong to a company.
        func rank(_ candidate: (table: Schema.Table, points: Int)) -> (Int, Int, String) {
            let emails = candidate.table.columns.filter { isEmail($0, words) }
            let isPlain = emails.contains { words.isPlainAddress(plain($0.name)) }
            let points = candidate.points - (isPlain || emails.isEmpty ? 0 : 9)
            return (-points, isPlain ? 0 : 1, candidate.table.qualifiedName)
        }
        return found.sorted { rank($0) < rank($1) }.map(\.table)
    }

    /// The score of a table for its similarity to a table of users: its name, an email column, and references to it.
    private static func likeness(_ table: Schema.Table, _ referring: Int, _ words: Lexicon) -> Int {
        var points = min(referring, 10)
        if words.isDirectory(table.name) { points += 20 }
        if table.qualifiedName == "auth.users" { points += 20 }
        if table.columns.contains(where: { isEmail($0, words) }) { points += 10 }
        return points < 10 ? 0 : points
    }

    /// The column that identifies the user, in the table of users or its profile table.
    func userKey(of table: Schema.Table) -> Schema.TableColumn? { table == root ? key : table.key.first }

    static func isEmail(_ column: Schema.TableColumn, _ words: Lexicon) -> Bool {
        column.isTextual && words.isAddress(column.name)
    }
}

extension Schema {
    /// The schema with references that only names suggest, as in Rails: `user_id` contains the key of a row of `users`.
    fileprivate func withReferencesByName(_ words: Lexicon) -> Schema {
        var named: [String: [Table]] = [:]
        for table in tables where table.key.count == 1 {
            for name in AppDraft.namesReferring(to: table, words) { named[name, default: []].append(table) }
        }
        let known = Set(references.flatMap { reference in reference.columns.map { [reference.table, $0] } })
        let found = tables.flatMap { table in
            table.columns.compactMap { column -> Reference? in
                guard !known.contains([table.qualifiedName, column.name]),
                    let all = named[AppDraft.plain(column.name)],
                    let other = all.first(where: { $0.schema == table.schema }) ?? (all.count == 1 ? all[0] : nil),
                    other != table, let key = other.key.first, key.compares(with: column)
                else { return nil }
                return Reference(of: column.name, in: table.qualifiedName, to: key.name, of: other.qualifiedName)
            }
        }
        return Schema(tables: tables, references: references + found)
    }
}

extension Schema {
    /// The schema with only some tables, and the references between them.
    fileprivate func with(only tables: [Table]) -> Schema {
        let known = Set(tables.map(\.qualifiedName))
        return Schema(
            tables: tables,
            references: references.filter { known.contains($0.table) && known.contains($0.referenced) })
    }
}

extension Schema.TableColumn {
    /// True if SQL can compare the values of two columns.
    fileprivate func compares(with other: Schema.TableColumn) -> Bool {
        let numbers = ["smallint", "integer", "bigint"]
        return type == other.type || isTextual && other.isTextual
            || numbers.contains(type) && numbers.contains(other.type)
    }
}

/// Checks whether a platform file fits the tables of a database.
extension App {
    /// True if a database has all tables and columns that the file requires.
    fileprivate func fits(_ schema: Schema) -> Bool {
        func exists(_ required: RelationPath) -> Bool {
            guard let table = schema.table("\(required.table.schema).\(required.table.name)") else { return false }
            return required.column.map { table.column($0) != nil } ?? true
        }
        return requires.allSatisfy { $0.alternatives.contains(where: exists) }
    }

    /// True if the platform file already describes a table.
    ///
    /// A file describes the tables that it requires, and all other tables of their schemas except public. The result is
    /// false for the file's own table of users.
    fileprivate func covers(_ table: Schema.Table) -> Bool {
        account?.root.hasPrefix("\(table.sql).") != true
            && fittingNames.contains {
                $0.schema == table.schema && ($0.name == table.name || table.schema != "public")
            }
    }
}
