/// Finds mistakes in the lines of an account without asking a database.
extension StaticChecks {
    mutating func checkParameters(of account: App.Account, _ general: Set<String>) {
        for remark in account.refusals + account.warnings { check(remark.condition, allows: general) }
        for statement in account.statements { check(statement.sql, allows: general.union(["users"])) }
    }

    /// Checks that names are complete and that no two lines decide about the same thing.
    mutating func checkAccount() {
        for settings in app.settings where SQLName.parts(ofPath: settings.table)?.first == SQLName.ledger {
            report(
                "@settings can't edit a table of the audit log",
                settings.places.place(of: settings.table, in: "table") ?? settings.place)
        }
        guard let account = app.account else { return }
        let columns = account.assignments.map { ("@set", $0.column, $0.place) }
        for (word, name, place) in columns where SQLName.parts(ofPath: name)?.count != 3 {
            report("\(word) \(name): write schema.table.column", place)
        }
        let tables =
            account.kept.map { ("@keep", $0.table, $0.place) } + account.shared.map { ("@shared", $0.table, $0.place) }
            + account.written.map { ("@written", $0.table, $0.place) }
        for (word, name, place) in tables where TableName(path: name) == nil {
            report("\(word) \(name): write schema.table", place)
        }
        let root = Self.folded(account.root)
        for (word, name, place) in columns where Self.folded(name) == root {
            report("\(word) \(name): a deletion always deletes the user's own row", place)
        }
        let staying =
            account.kept.filter(\.way.isAll).map { ("@keep", $0.table, $0.place) }
            + account.shared.map { ("@shared", $0.table, $0.place) }
        for (word, name, place) in staying where Self.folded(name) == Array(root.dropLast()) {
            report("\(word) \(name): a deletion always deletes the user's own row", place)
        }
        for line in account.shared where line.condition != nil && line.answer == .delete {
            report(
                "@shared \(line.table) : delete deletes every shared row, so its condition has no effect",
                line.place,
                hint: "remove the condition, or write detach or give instead of delete")
        }
        checkReferences(account, root)
        checkWays(account)
        checkAdditions(account)
        checkFiles(account)
        for line in account.ignored where line.pattern.split(separator: ".").count != 3 {
            report("@ignore \(line.pattern): write schema.table.column, with * for any part of a name", line.place)
        }
        let named = (columns + tables).map { ($0.1, $0.2) } + account.refers.map { ($0.from, $0.place) }
        for (name, place) in named where SQLName.parts(ofPath: name)?.first == SQLName.ledger {
            report("the app file can't declare tables of usher itself", place)
        }
        checkOnce(account.shared.map { (name: $0.table, place: $0.place) })
        checkOnce(account.written.map { (name: $0.table, place: $0.place) })
        checkColumnsOnce(account)
        for line in account.owned where SQLName.parts(ofPath: line.from)?.count != 3 {
            report("@owns \(line.from): write schema.table.column", line.place)
        }
    }

    /// Checks that a reference starts at a column or an expression of a table other than the users' table.
    private mutating func checkReferences(_ account: App.Account, _ root: [String]) {
        for line in account.refers {
            if !line.from.contains("("), SQLName.parts(ofPath: line.from)?.count != 3 {
                report("@refers \(line.from): write schema.table.column", line.place)
            } else if line.answer == .detach, line.column == nil {
                report("@refers \(line.from) : detach needs a column that can be set to NULL", line.place)
            } else if Self.folded(line.from) == root {
                let hint = line.to.map { "write the referring column first: @refers \($0) -> \(line.from)" }
                report("@refers \(line.from): the user's own row can't refer to a user", line.place, hint: hint)
            }
        }
    }

    /// Checks that no two lines about one column contradict each other.
    private mutating func checkColumnsOnce(_ account: App.Account) {
        var seen: Set<[String]> = []
        var words: [[String]: String] = [:]
        for line in account.refers {
            let reference = [line.from, line.to ?? "", line.condition ?? ""]
            if !seen.insert(reference).inserted { report("\(line.from) is declared twice", line.place) }
            if let column = line.column, line.answer == .detach || line.answer == .keep {
                words[Self.folded(column)] = "@refers"
            }
        }
        for line in account.ignored {
            if !seen.insert([line.pattern]).inserted { report("\(line.pattern) is declared twice", line.place) }
            if account.refers.contains(where: { $0.from == line.pattern }) {
                report("\(line.pattern) is declared twice, by @refers and @ignore", line.place)
            }
        }
        for line in account.assignments where line.way.condition == nil {
            if let word = words[Self.folded(line.column)] {
                report("\(line.column) is declared twice, by \(word) and @set", line.place)
            }
        }
    }

    /// Checks lines about some rows: the table must not be the users' table, and no other line may cover all its rows.
    private mutating func checkWays(_ account: App.Account) {
        let root = SQLName.parts(ofPath: account.root)?.dropLast() ?? []
        let ways =
            account.kept.map { ("@keep", $0.table, $0.way, $0.place) }
            + account.assignments.map { line in
                let table = SQLName.path(of: Array(Self.folded(line.column).dropLast()))
                return ("@set", table, .init(via: line.way.via), line.place)
            }
        let whole = ways.filter { $0.2.isAll }
        for (word, name, way, place) in ways where !way.isAll {
            if Self.folded(name) == Array(root) {
                report("\(word) \(name): a deletion always deletes the user's own row", place)
            } else if let other = whole.first(where: { Self.folded($0.1) == Self.folded(name) }) {
                report("\(other.0) already keeps all rows of \(name)", place)
            } else if let via = way.via, SQLName.parts(ofPath: via)?.count != 1 {
                report("\(word) \(name) via \(via): write the name of the column alone", place)
            }
        }
    }

    /// Reports account statements other than INSERT: a deletion only adds rows, and nothing removes them again.
    private mutating func checkAdditions(_ account: App.Account) {
        for statement in account.statements {
            let (targets, place) = (statement.sql.targets, statement.sql.place)
            // A missing or broken statement has a finding of its own.
            guard !place.isOfNothing else { continue }
            if statement.summary.isEmpty { report("after @do, write what the statement does", place) }
            guard targets.count == 1, statement.sql.onlyInserts, !targets[0].returns else {
                report("@do in @account must be one INSERT, without RETURNING or ON CONFLICT DO UPDATE", place)
                continue
            }
            let name = SQLName.path(of: [targets[0].table.schema, targets[0].table.name])
            for line in account.written where line.answer == .remove && Self.folded(line.table) == Self.folded(name) {
                report("@written \(line.table): @do adds rows to this table; write keep, not remove", line.place)
            }
        }
    }

    /// Checks that a path contains the account's key; otherwise it would match everybody's files.
    private mutating func checkFiles(_ account: App.Account) {
        let keys = [app.users.key, SQLName.parts(ofPath: account.root)?.last].compactMap { $0 }.filter { !$0.isEmpty }
        guard let key = keys.first else { return }
        for line in account.files where !line.prefix.isEmpty {
            let said = Sentence(line.prefix, at: line.place).facts
            if said.count == 1, keys.contains(said[0]) { continue }
            let place = line.place.narrowed(to: said.first { !keys.contains($0) }.map { "{\($0)}" } ?? line.prefix)
            findings.append(
                Diagnostic(
                    "the path of @files must contain the key of the account once, in braces", in: place.file,
                    at: place.offset, hint: "write {\(key)}"))
        }
    }

    private mutating func checkOnce(_ lines: [(name: String, place: App.Place)]) {
        var seen: Set<[String]> = []
        for line in lines where !seen.insert(Self.folded(line.name)).inserted {
            report("\(line.name) is declared twice", line.place)
        }
    }

    private static func folded(_ name: String) -> [String] { SQLName.parts(ofPath: name) ?? [name] }

    private mutating func report(_ message: String, _ place: App.Place, hint: String? = nil) {
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }
}
