internal import AppFile
internal import Catalog

/// Chooses the tables and columns of a draft.
extension AppDraft {
    /// The largest number of tables in a draft, not counting the table of users.
    static let mostTables = 20

    /// The tables that refer to users, the most important first; a table is important if it has many references and
    /// rows.
    ///
    /// The user column is the column with a name such as `user_id`; otherwise a required column, otherwise an optional
    /// column.
    var referring: [(table: Schema.Table, column: Schema.TableColumn)] {
        let targets = [root.qualifiedName, profile?.qualifiedName].compactMap { $0 }
        var seen: Set<String> = Set(targets)
        var found: [(table: Schema.Table, column: Schema.TableColumn)] = []
        let names = Set([root, profile].compactMap { $0 }.flatMap { Self.namesReferring(to: $0, words) })
        func rank(_ reference: Schema.Reference) -> (Int, Int) {
            let columns = schema.table(reference.table)?.columns ?? []
            let place = columns.firstIndex { $0.name == reference.columns[0] } ?? 0
            if names.contains(Self.plain(reference.columns[0])) { return (0, place) }
            return (columns.indices.contains(place) && columns[place].isRequired ? 1 : 2, place)
        }
        let references = schema.references.filter { targets.contains($0.referenced) && $0.columns.count == 1 }
        for reference in references.sorted(by: { rank($0) < rank($1) }) {
            // A reference to another column than the user's key identifies the user only together with the user's row.
            guard
                schema.table(reference.referenced).flatMap(userKey)?.name == reference.referencedColumns.first,
                seen.insert(reference.table).inserted, let table = schema.table(reference.table),
                let column = table.column(reference.columns[0])
            else { continue }
            found.append((table, column))
        }
        let weights = weights
        func weight(_ item: (table: Schema.Table, column: Schema.TableColumn)) -> Double {
            weights[item.table.qualifiedName] ?? 0
        }
        return found.sorted {
            weight($0) == weight($1) ? $0.table.qualifiedName < $1.table.qualifiedName : weight($0) > weight($1)
        }
    }

    /// The usual names of columns that refer to a table, such as `user_id` for users.
    static func namesReferring(to table: Schema.Table, _ words: Lexicon) -> [String] {
        var parts = plain(table.name).split(separator: "_").map(String.init)
        guard let last = parts.popLast() else { return [] }
        return words.singulars(of: last).map { (parts + [$0, "id"]).joined(separator: "_") }
    }

    /// The weight of each table: the number of references to the table, plus the number of digits of its row count.
    ///
    /// A column whose name suggests a state adds 2.
    var weights: [String: Double] {
        var weights: [String: Double] = [:]
        for table in schema.tables {
            let digits = Double(String(max(table.rows, 0)).count)
            weights[table.qualifiedName] = digits + (standing(table) == nil ? 0 : 2)
        }
        for reference in schema.references { weights[reference.referenced, default: 0] += 1 }
        return weights
    }

    /// A column that has only a few values, which describe a state.
    struct State {
        let column: Schema.TableColumn
        let values: [String]
        /// True if the catalog shows that the column allows no other values.
        let isWhole: Bool
    }

    /// The state column of a table: the first column whose name suggests a state, otherwise the first column with few
    /// values.
    func state(_ table: Schema.Table) -> State? { standing(table) ?? states(table).first }

    /// The first column with few values whose name suggests a state, such as `status`.
    func standing(_ table: Schema.Table) -> State? { states(table).first { words.isStanding($0.column.name) } }

    private func states(_ table: Schema.Table) -> [State] {
        table.columns.filter { !isSecret($0, of: table) }.compactMap { column in
            guard let few = values[column.origin] ?? seen[column.origin], (2...12).contains(few.count),
                few.allSatisfy(Self.isPlain)
            else { return nil }
            return State(column: column, values: few, isWhole: values[column.origin] != nil)
        }
    }

    /// True if a sentence and an SQL string can contain the value without escaping.
    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"'`{}\\".unicodeScalars.contains($0) }
    }

    /// The column that sorts the rows by time: the first required time column, otherwise the first time column.
    func instant(_ table: Schema.Table) -> Schema.TableColumn? {
        let instants = table.columns.filter { $0.type.hasPrefix("timestamp") }
        return instants.first(where: \.isRequired) ?? instants.first
    }

    /// The order with the latest rows first and rows without a time last.
    static func latestFirst(_ column: Schema.TableColumn) -> String {
        "t.\(column.sql) desc" + (column.isRequired || column.isInKey ? "" : " nulls last")
    }

    func isSecret(_ column: Schema.TableColumn, of table: Schema.Table) -> Bool {
        secrets.contains([table.schema, table.name, column.name])
    }

    /// True if the draft may show a column, because it is neither secret nor long.
    func isShown(_ column: Schema.TableColumn, of table: Schema.Table) -> Bool {
        let isLong = ["bytea", "json", "jsonb", "tsvector", "xml"].contains(column.type) || column.type.hasSuffix("[]")
        return !isSecret(column, of: table) && !isLong
    }

    /// The columns of a table that the draft shows, in the order of the table.
    ///
    /// If the table has more than `most` columns, the key, the emails, the states and the latest time come before the
    /// other columns.
    func shown(_ table: Schema.Table, except hidden: Set<String> = [], most: Int) -> [Schema.TableColumn] {
        let all = table.columns.filter { isShown($0, of: table) && !hidden.contains($0.name) }
        guard all.count > most else { return all }
        let latest = instant(table)
        func isImportant(_ column: Schema.TableColumn) -> Bool {
            column.isInKey || column == latest || words.isStanding(column.name) || Self.isEmail(column, words)
        }
        let chosen = (all.filter(isImportant) + all.filter { !isImportant($0) }).prefix(most)
        return all.filter(chosen.contains)
    }

    /// A column in a select, with an alias if its name needs quotes; a time without a time zone is read as UTC.
    func item(_ column: Schema.TableColumn, of alias: String) -> String {
        let path = "\(alias).\(column.sql)"
        let isNaive = column.type == "timestamp without time zone"
        let name = Self.plain(column.name)
        let value = isNaive ? "\(path) at time zone 'UTC'" : path
        return isNaive || name != column.name ? "\(value) as \(SQLName.path(of: [name]))" : value
    }

    /// A name that needs no quotes in SQL: camel case becomes lower case with underscores.
    static func plain(_ name: String) -> String {
        var plain = ""
        var previous: Character = "_"
        for letter in name {
            guard letter.isASCII, letter.isLetter || letter.isNumber || letter == "_" else {
                if previous != "_" { plain.append("_") }
                previous = "_"
                continue
            }
            if letter.isUppercase, previous.isLowercase || previous.isNumber { plain.append("_") }
            plain.append(letter.lowercased())
            previous = letter
        }
        while plain.hasSuffix("_") { plain.removeLast() }
        return plain.isEmpty || plain.first?.isNumber == true ? name : plain
    }

    /// A name in the form of an option, with dashes.
    static func option(_ text: String) -> String { plain(text).split(separator: "_").joined(separator: "-") }

    /// A name without words that only repeat the next word.
    static func short(_ name: String) -> String {
        let all = plain(name).split(separator: "_").map(String.init)
        let kept = all.indices.filter { place in
            place + 1 == all.count || all[place] != all[place + 1] && all[place] != all[place + 1] + "s"
        }
        return kept.map { all[$0] }.joined(separator: "_")
    }

    /// A name as words with spaces, the first with a capital letter.
    static func words(_ name: String) -> String {
        let words = short(name).split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
