/// A random schema with data: cycles, diamonds, keys onto any unique column, and every referential action.
///
/// Two accounts in the schema share only rows without an owner.
struct RandomSchema: Seeded {
    enum Key: CaseIterable { case uuid, number, long, amount, day, moment, name, bytes, address, pair, code, none }
    /// The owner of a row; a deletion may only empty a shared row's references to deleted rows.
    enum Side: String, CaseIterable { case target, control, nobody, shared }

    struct Link {
        var table: Int
        var action: String
        var isRequired: Bool
        var isDeferred: Bool
        var isIndexed: Bool
    }

    struct Row {
        var number: Int
        var side: Side
        /// The number of the row that each link refers to.
        var links: [Int?]
    }

    /// The effect of a trigger on other tables when rows are deleted.
    enum TriggerEffect: CaseIterable { case none, writes, changes, deletes, dates }

    /// The column by which a row refers to a row that only a trigger deletes.
    enum Further: CaseIterable { case none, key, number }

    struct Table {
        var key: Key
        var links: [Link]
        var rows: [Row]
        /// If true, a trigger records the deleted rows.
        var isAudited: Bool
        var isPartitioned: Bool
        /// If true, the names of the table and its key need quotes, and contain unusual letters.
        var isForeign = false
        /// If true, the table has one row for each user, so its rows are users too.
        var isProfile = false
        var triggerEffect = TriggerEffect.none
        var further = Further.none
    }

    /// The first table has the users.
    var tables: [Table]

    static func uuid(_ table: Int, _ number: Int) -> String {
        let digits = "\(table * 1000 + number)"
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static let target = uuid(0, 1)
    static let control = uuid(0, 2)

    // MARK: Random choices

    init(seed: UInt64) {
        var random = SplitMix(state: seed)
        let count = Int.random(in: 2...9, using: &random)
        tables = (0..<count).map { index in
            let key = index == 0 ? .uuid : Key.allCases.randomElement(using: &random) ?? .uuid
            return Table(
                key: key, links: [], rows: [], isAudited: Int.random(in: 0..<5, using: &random) == 0,
                isPartitioned: key == .pair && Bool.random(using: &random))
        }
        let actions = ["no action", "restrict", "cascade", "cascade", "set null", "set default"]
        for index in tables.indices {
            let wanted = index == 0 ? Int.random(in: 0...1, using: &random) : Int.random(in: 1...3, using: &random)
            for place in 0..<wanted {
                // The first link usually leads to a table nearer to the users, the other links lead to any table.
                let bound = place == 0 && index > 0 && Int.random(in: 0..<6, using: &random) > 0 ? index : count
                let other = Int.random(in: 0..<bound, using: &random)
                if tables[other].key == .none { continue }
                tables[index].links.append(
                    Link(
                        table: other, action: actions.randomElement(using: &random) ?? "cascade",
                        isRequired: Bool.random(using: &random), isDeferred: Int.random(in: 0..<5, using: &random) == 0,
                        isIndexed: Bool.random(using: &random)))
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            (tables[1].key, tables[1].isPartitioned, tables[1].isProfile) = (.uuid, false, true)
            let link = Link(
                table: 0, action: Bool.random(using: &random) ? "cascade" : "no action", isRequired: true,
                isDeferred: false, isIndexed: true)
            tables[1].links.insert(link, at: 0)
        }
        fill(&random)
        for index in tables.indices where Int.random(in: 0..<3, using: &random) == 0 {
            tables[index].triggerEffect = TriggerEffect.allCases.randomElement(using: &random) ?? .none
            tables[index].further = Further.allCases.randomElement(using: &random) ?? .none
        }
        for index in tables.indices.dropFirst() {
            tables[index].isForeign = Int.random(in: 0..<3, using: &random) == 0
        }
    }

    private mutating func fill(_ random: inout SplitMix) {
        for index in tables.indices {
            var number = 0
            for side in Side.allCases {
                let isOfUsers = index == 0 || tables[index].isProfile
                let count =
                    isOfUsers
                    ? ([.target, .control].contains(side) ? 1 : 0)
                    : Int.random(in: side == .shared ? 0...2 : 1...4, using: &random)
                for _ in 0..<count {
                    number += 1
                    tables[index].rows.append(Row(number: number, side: side, links: []))
                }
            }
        }
        for index in tables.indices {
            for place in tables[index].rows.indices {
                let side = tables[index].rows[place].side
                tables[index].rows[place].links = tables[index].links.map { link in
                    if !link.isRequired, Int.random(in: 0..<3, using: &random) == 0 { return nil }
                    var wanted = [side]
                    if side == .shared {
                        wanted = link.action == "set null" && !link.isRequired ? [.target] : [side, .nobody]
                    }
                    return tables[link.table].rows.filter { wanted.contains($0.side) }.randomElement(using: &random)?
                        .number
                }
            }
        }
        removeOrphans()
    }

    /// Removes rows without a required reference, and references to removed rows.
    mutating func removeOrphans() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for index in tables.indices {
                let links = tables[index].links
                for place in tables[index].rows.indices {
                    for (number, link) in links.enumerated() {
                        guard let other = tables[index].rows[place].links[number],
                            !tables[link.table].rows.contains(where: { $0.number == other })
                        else { continue }
                        tables[index].rows[place].links[number] = nil
                    }
                }
                let before = tables[index].rows.count
                tables[index].rows.removeAll { row in zip(links, row.links).contains { $0.isRequired && $1 == nil } }
                if tables[index].rows.count != before { isSettled = false }
            }
        }
    }

    var isSound: Bool { tables.first.map { $0.rows.filter { $0.side != .nobody }.count == 2 } ?? false }

    // MARK: As SQL

    var written: String { statements.joined(separator: ";\n") }

    /// The statements that create the schema and its rows.
    var statements: [String] {
        var statements: [String] = [
            "create table audit (id bigint generated always as identity primary key, old jsonb)"
        ]
        statements.append(
            """
            create function audit() returns trigger language plpgsql security definer set search_path = public as
            $$ begin insert into audit (old) values (to_jsonb(old)); return null; end $$
            """)
        statements += Self.elsewhere
        for (index, table) in tables.enumerated() { statements += create(table, index) }
        for (index, table) in tables.enumerated() where !table.rows.isEmpty {
            if table.further != .none {
                let rows = table.rows.map { "(\(index * 1000 + $0.number), 'of \(index)')" }
                statements.append("insert into extras values \(rows.joined(separator: ", "))")
            }
            statements.append(insert(table, index))
        }
        for (index, table) in tables.enumerated() {
            for (place, link) in table.links.enumerated() {
                let columns = self.columns(of: link, place).map(\.name).joined(separator: ", ")
                let others = keyColumns(link.table).map(\.name).joined(separator: ", ")
                let timing = link.isDeferred && link.action != "restrict" ? " deferrable initially deferred" : ""
                statements.append(
                    "alter table \(name(index)) add foreign key (\(columns)) references \(name(link.table)) (\(others)) on delete \(link.action)\(timing)"
                )
                if link.isIndexed { statements.append("create index on \(name(index)) (\(columns))") }
            }
            switch table.triggerEffect {
            case .none: break
            case .writes:
                statements.append(
                    "create trigger writes after delete on \(name(index)) for each row execute function writes()")
            case .changes:
                statements.append(
                    "create trigger changes after delete on \(name(index)) for each row execute function changes()")
            case .dates:
                statements.append(
                    "create trigger dates before update on \(name(index)) for each row execute function dates()")
            case .deletes where [.key, .number].contains(table.further):
                statements.append(
                    "create trigger deletes after delete on \(name(index)) for each row execute function deletes()")
            case .deletes: break
            }
            if table.isAudited {
                statements.append(
                    "create trigger audit after delete on \(name(index)) for each row execute function audit()")
            }
        }
        return statements
    }

    /// Tables that triggers insert into, update and delete from.
    ///
    /// These tables have no references to other tables.
    private static let elsewhere = [
        "create table queue (id bigint generated always as identity primary key, what text)",
        "create table totals (id int primary key, n int, last text)", "insert into totals values (1, 0, '')",
        "create table extras (id int primary key, note text)",
        """
        create function writes() returns trigger language plpgsql security definer set search_path = public as
        $$ begin insert into queue (what) values ('gone'); return null; end $$
        """,
        """
        create function changes() returns trigger language plpgsql security definer set search_path = public as
        $$ begin update totals set n = n + 1, last = 'gone'; return null; end $$
        """,
        """
        create function dates() returns trigger language plpgsql as
        $$ begin new.at := clock_timestamp(); return new; end $$
        """,
        """
        create function deletes() returns trigger language plpgsql security definer set search_path = public as
        $$ begin delete from extras where id = old.more; return null; end $$
        """,
    ]

    private func name(_ index: Int, _ part: String = "") -> String {
        tables[index].isForeign ? "\"Täfel\"\"chen \(index)\(part)\"" : "t\(index)\(part)"
    }

    private func keyColumns(_ index: Int) -> [(name: String, type: String)] {
        let id = tables[index].isForeign ? "\"Schlüssel Nr.\"" : "id"
        return switch tables[index].key {
        case .uuid: [(id, "uuid")]
        case .number: [(id, "integer")]
        case .long: [(id, "bigint")]
        case .amount: [(id, "numeric(12, 2)")]
        case .day: [(id, "date")]
        case .moment: [(id, "timestamptz")]
        case .bytes: [(id, "bytea")]
        case .address: [(id, "inet")]
        case .name: [(id, "varchar(20)")]
        case .pair: [("a", "integer"), ("b", "integer")]
        case .code: [("code", "text")]
        case .none: []
        }
    }

    private func columns(of link: Link, _ place: Int) -> [(name: String, type: String)] {
        keyColumns(link.table).map { ("\"l\(place) \($0.name.filter { $0 != "\"" })\"", $0.type) }
    }

    private func create(_ table: Table, _ index: Int) -> [String] {
        var columns = keyColumns(index).map { "\($0.name) \($0.type) not null" } + ["note text"]
        if table.key == .code { columns += ["a integer not null", "b integer not null"] }
        for (place, link) in table.links.enumerated() {
            columns += self.columns(of: link, place).map {
                "\($0.name) \($0.type)" + (link.isRequired ? " not null" : "")
            }
        }
        switch table.further {
        case .none: break
        case .key: columns.append("more integer references extras")
        case .number: columns.append("more integer")
        }
        if table.triggerEffect == .dates { columns.append("at timestamptz default '2020-01-01'") }
        switch table.key {
        case .uuid, .number, .long, .amount, .day, .moment, .name, .bytes, .address:
            columns.append("primary key (\(keyColumns(index)[0].name))")
        case .pair: columns.append("primary key (a, b)")
        case .code: columns += ["primary key (a, b)", "unique (code)"]
        case .none: break
        }
        if table.isProfile { columns.append("unique (\(self.columns(of: table.links[0], 0)[0].name))") }
        let body = "create table \(name(index)) (\(columns.joined(separator: ", ")))"
        guard table.isPartitioned else { return [body] }
        return [body + " partition by list (a)"]
            + (0..<3).map {
                "create table \(name(index, "_\($0)")) partition of \(name(index)) for values in (\($0))"
            }
    }

    private func insert(_ table: Table, _ index: Int) -> String {
        let values = table.rows.map { row in
            var cells = key(index, row.number) + ["'\(row.side.rawValue) \(row.number)'"]
            if table.key == .code { cells += ["\(row.number % 3)", "\(row.number)"] }
            for (link, other) in zip(table.links, row.links) {
                cells += other.map { key(link.table, $0) } ?? keyColumns(link.table).map { _ in "null" }
            }
            if table.further != .none { cells.append("\(index * 1000 + row.number)") }
            if table.triggerEffect == .dates { cells.append("default") }
            return "(\(cells.joined(separator: ", ")))"
        }
        return "insert into \(name(index)) values \(values.joined(separator: ", "))"
    }

    private func key(_ index: Int, _ number: Int) -> [String] {
        switch tables[index].key {
        case .uuid: ["'\(Self.uuid(index, number))'"]
        case .number: ["\(number)"]
        case .long: ["\(7_000_000_000 + number)"]
        case .amount: ["\(number).50"]
        case .moment: ["timestamptz '2001-01-01 00:00+00' + \(number) * interval '1 day'"]
        case .bytes: ["'\\x00ff\(10 + number)'::bytea"]
        case .address: ["'10.0.0.\(number)'"]
        case .day: ["date '2001-01-01' + \(number)"]
        case .name: ["'Name \"\(number)\", x'"]
        case .pair: ["\(number % 3)", "\(number)"]
        case .code: ["'c\(number)'"]
        case .none: []
        }
    }

    /// Queries that count references without a row, one for each foreign key.
    var orphanQueries: [String] {
        tables.enumerated().flatMap { index, table in
            table.links.enumerated().map { place, link in
                let columns = self.columns(of: link, place).map(\.name)
                let pairs = zip(keyColumns(link.table).map(\.name), columns).map { "p.\($0) = c.\($1)" }
                return """
                    select count(*) from \(name(index)) c where \(columns.map { "c.\($0) is not null" }.joined(separator: " and "))
                       and not exists (select from \(name(link.table)) p where \(pairs.joined(separator: " and ")))
                    """
            }
        }
    }

    // MARK: Shrinking

    /// Smaller schemas; each lacks one table, link, row or property of this schema.
    var smaller: [RandomSchema] {
        var smaller: [RandomSchema] = []
        func keep(_ change: (inout RandomSchema) -> Void) {
            var copy = self
            change(&copy)
            copy.removeOrphans()
            if copy.isSound { smaller.append(copy) }
        }
        for index in tables.indices.dropFirst().reversed()
        where !tables.contains(where: { $0.links.contains { $0.table == index } }) {
            guard index == tables.count - 1 else { continue }
            keep { $0.tables.remove(at: index) }
        }
        for index in tables.indices {
            for place in tables[index].links.indices {
                keep { schema in
                    schema.tables[index].links.remove(at: place)
                    if place == 0 { schema.tables[index].isProfile = false }
                    for row in schema.tables[index].rows.indices {
                        schema.tables[index].rows[row].links.remove(at: place)
                    }
                }
                let link = tables[index].links[place]
                if link.isDeferred { keep { $0.tables[index].links[place].isDeferred = false } }
                if link.isIndexed { keep { $0.tables[index].links[place].isIndexed = false } }
                if link.isRequired { keep { $0.tables[index].links[place].isRequired = false } }
            }
            if tables[index].triggerEffect != .none { keep { $0.tables[index].triggerEffect = .none } }
            if tables[index].further != .none { keep { $0.tables[index].further = .none } }
            if tables[index].isAudited { keep { $0.tables[index].isAudited = false } }
            if tables[index].isForeign { keep { $0.tables[index].isForeign = false } }
            if tables[index].isPartitioned { keep { $0.tables[index].isPartitioned = false } }
            if index > 0 { for row in tables[index].rows.indices { keep { $0.tables[index].rows.remove(at: row) } } }
        }
        return smaller
    }
}
