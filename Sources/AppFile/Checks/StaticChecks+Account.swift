/// What can be wrong with the lines of an account without asking a database.
extension StaticChecks {
    mutating func checkParameters(of account: App.Account, _ general: Set<String>) {
        for remark in account.refusals + account.warnings { check(remark.condition, allows: general) }
        for statement in account.statements { check(statement.sql, allows: general.union(["users"])) }
    }

    /// Names are written whole, and nothing is settled twice.
    mutating func checkAccount() {
        for settings in app.settings where SQLName.parts(ofPath: settings.table)?.first == SQLName.ledger {
            report(
                "what the console remembers is no setting",
                settings.places.place(of: settings.table, in: "table") ?? settings.place)
        }
        guard let account = app.account else { return }
        let columns =
            account.detached.map { ("@detach", $0.column, $0.place) }
            + account.mentions.map { ("@mention", $0.column, $0.place) }
            + account.anonymised.map { ("@anonymise", $0.column, $0.place) }
            + account.kept.compactMap { line in line.column.map { ("@keep", $0, line.place) } }
        for (word, name, place) in columns where SQLName.parts(ofPath: name)?.count != 3 {
            report("\(word) \(name): write schema.table.column", place)
        }
        let tables =
            account.kept.filter { $0.column == nil }.map { ("@keep", $0.name, $0.place) }
            + account.collateral.map { ("@collateral", $0.table, $0.place) }
            + account.written.map { ("@written", $0.table, $0.place) }
            + account.writers.compactMap { line in line.table.map { ("@writes … ->", $0, line.place) } }
        for (word, name, place) in tables where TableName(path: name) == nil {
            report("\(word) \(name): write schema.table\(word == "@keep" ? " or schema.table.column" : "")", place)
        }
        let root = Self.folded(account.root)
        for (word, name, place) in columns where Self.folded(name) == root {
            report("\(word) \(name): the account itself goes", place)
        }
        let staying =
            account.kept.filter { $0.column == nil && $0.way.isAll }.map { ("@keep", $0.name, $0.place) }
            + account.collateral.map { ("@collateral", $0.table, $0.place) }
        for (word, name, place) in staying where Self.folded(name) == Array(root.dropLast()) {
            report("\(word) \(name): the account itself goes", place)
        }
        for line in account.writers where SQLName.parts(ofPath: line.function)?.count != 2 {
            report("@writes \(line.function): write schema.function", line.place)
        }
        for line in account.references where Self.folded(line.from) == root {
            report(
                "@reference \(line.from) -> \(line.to): the account itself refers to nobody", line.place,
                hint: "what refers stands first: @reference \(line.to) -> \(line.from)")
        }
        checkWays(account)
        checkAdditions(account)
        checkFiles(account)
        for line in account.plain where line.pattern.split(separator: ".").count != 3 {
            report("@plain \(line.pattern): write schema.table.column, with * for any letters", line.place)
        }
        for (_, name, place) in columns + tables where SQLName.parts(ofPath: name)?.first == SQLName.ledger {
            report("what the console remembers of an account is settled by itself", place)
        }
        // A column has one fate; overwriting may be one thing for some rows and another for others.
        let whole = columns.filter { $0.0 != "@anonymise" }
        checkOnce(whole.map { (name: $0.1, place: $0.2) })
        checkOnce(account.collateral.map { (name: $0.table, place: $0.place) })
        checkOnce(account.written.map { (name: $0.table, place: $0.place) })
        let settled = Dictionary(whole.map { (Self.folded($0.1), $0.0) }) { first, _ in first }
        for line in account.anonymised where line.condition == nil {
            if let word = settled[Self.folded(line.column)] {
                report("\(line.column) is settled already, by \(word)", line.place)
            }
        }
        for line in account.owned where SQLName.parts(ofPath: line.from)?.count != 3 {
            report("@owns \(line.from): write schema.table.column", line.place)
        }
    }

    /// What stays in part is rows of a table that is not the root's, and not all of them by another line.
    private mutating func checkWays(_ account: App.Account) {
        let root = SQLName.parts(ofPath: account.root)?.dropLast() ?? []
        let ways =
            account.kept.map { ("@keep", $0.name, $0.way, $0.place) }
            + account.anonymised.map { line in
                let table = SQLName.path(of: Array(Self.folded(line.column).dropLast()))
                return ("@anonymise", table, .init(via: line.via), line.place)
            }
        let whole = ways.filter { $0.2.isAll && Self.folded($0.1).count == 2 }
        for (word, name, way, place) in ways where !way.isAll {
            if Self.folded(name).count == 3 {
                report("\(word) \(name): via and where are about rows, so write schema.table", place)
            } else if Self.folded(name) == Array(root) {
                report("\(word) \(name): the account itself goes", place)
            } else if let other = whole.first(where: { Self.folded($0.1) == Self.folded(name) }) {
                report("every row of \(name) stays already, by \(other.0)", place)
            } else if let via = way.via, SQLName.parts(ofPath: via)?.count != 1 {
                report("\(word) \(name) via \(via): write the column alone", place)
            }
        }
    }

    /// What an account does is to add rows, of which nothing takes any away again.
    private mutating func checkAdditions(_ account: App.Account) {
        for statement in account.statements {
            let (targets, place) = (statement.sql.targets, statement.sql.place)
            // What has no statement, or a broken one, has its finding and no place of its own.
            guard !place.isOfNothing else { continue }
            if statement.summary.isEmpty { report("say behind @do what it is for", place) }
            guard targets.count == 1, statement.sql.onlyInserts, !targets[0].returns else {
                report("@do of an account is one INSERT, which changes and returns nothing", place)
                continue
            }
            let name = SQLName.path(of: [targets[0].table.schema, targets[0].table.name])
            for line in account.written where line.answer == .remove && Self.folded(line.table) == Self.folded(name) {
                report("@written \(line.table): @do adds to it, so it stays", line.place)
            }
        }
    }

    /// A path without the key of its account would be everybody's.
    private mutating func checkFiles(_ account: App.Account) {
        let keys = [app.users.key, SQLName.parts(ofPath: account.root)?.last].compactMap { $0 }.filter { !$0.isEmpty }
        guard let key = keys.first else { return }
        for line in account.files where !line.prefix.isEmpty {
            let said = Sentence(line.prefix, at: line.place).facts
            if said.count == 1, keys.contains(said[0]) { continue }
            let place = line.place.narrowed(to: said.first { !keys.contains($0) }.map { "{\($0)}" } ?? line.prefix)
            findings.append(
                Diagnostic(
                    "the path of @files has the key of the account in braces, once", in: place.file,
                    at: place.offset, hint: "write {\(key)}"))
        }
    }

    private mutating func checkOnce(_ lines: [(name: String, place: App.Place)]) {
        var seen: Set<[String]> = []
        for line in lines where !seen.insert(Self.folded(line.name)).inserted {
            report("\(line.name) is settled already", line.place)
        }
    }

    private static func folded(_ name: String) -> [String] { SQLName.parts(ofPath: name) ?? [name] }

    private mutating func report(_ message: String, _ place: App.Place, hint: String? = nil) {
        findings.append(Diagnostic(message, in: place.file, at: place.offset, hint: hint))
    }
}
