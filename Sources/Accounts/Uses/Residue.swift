package import AppFile
package import Asking
internal import Catalog
package import PQ

/// What a whole database still holds of an id or an address.
package struct Residue: Sendable {
    package struct Place: Sendable, Hashable {
        package let table: String
        package let column: String
        package let rows: Int
        /// Whether it is a materialized view, which holds the person until it is refreshed.
        package let isCopy: Bool
        /// Whether a line of the app file lets people be named there, or has taken out whoever was certainly meant.
        package let isSettled: Bool
    }

    /// Why a table could not be searched, or not to the last row.
    package enum Gap: Sendable, Hashable {
        /// So many of its columns are not for this role; or these, of which lines say what becomes of whoever stands there.
        case unreadable(columns: Int)
        case settled(columns: [String])
        case secured
        /// So small a number may count anything in these.
        case ambiguous(columns: [String])
        case failed(ServerError)
    }

    /// What was searched for: the text, and what else the audit log calls a user by it who is deleted.
    package private(set) var names: [String] = []
    /// How many columns were searched.
    package private(set) var searched = 0
    package private(set) var found: [Place] = []
    package private(set) var unsearched: [(table: String, gap: Gap)] = []
    /// Texts in which so short a number is found where nothing else stands, or beside a word for a user, and not anywhere.
    package private(set) var partly: [(table: String, columns: [String])] = []

    /// Whether nobody stands anywhere but where lines let people be named.
    package var isClean: Bool { found.allSatisfy(\.isSettled) && isWhole }
    /// Whether all was searched of which nobody has said what becomes of it.
    package var isWhole: Bool {
        unsearched.allSatisfy { if case .settled = $0.gap { true } else { false } }
    }

    /// Searches every column of every table that can hold the text, at one instant, one table after the other.
    ///
    /// Who the users are says a root, or else the table that is certainly theirs: where names speak of them, so small a number
    /// means somebody too. An app file that fits, of some candidates, says where they stay named, and which numbers are none of
    /// theirs.
    package static func search(
        _ needle: String, root: AccountRoot.Name? = nil, on connection: Connection, candidates: [App] = [],
        options: InquiryOptions, progress: ((table: String, searched: Int, tables: Int)) -> Void
    ) throws(Failure) -> Residue {
        guard needle.utf8.count >= 1, !needle.allSatisfy(\.isWhitespace) else {
            throw Failure(AccountRefusal.nothingToFind)
        }
        var residue = Residue()
        var options = options
        // A scan of a large table takes longer than a question about one user.
        options.timeout = options.patientTimeout
        let (transaction, start) = try open(root, on: connection, candidates, options)
        defer { try? transaction.end() }
        let users = try KnownUsers(start, in: transaction)
        var known: Set<String> = []
        residue.names = ([needle] + (try KnownUsers.names(of: needle, start, in: transaction)).sorted()).filter {
            known.insert($0.lowercased()).inserted
        }
        let search = try NeedleSearch(residue.names, users, transaction)
        let query = Query(file: "catalog/residue_columns.sql", [search.isNumber ? "t" : "f"])
        let answer = try transaction.ask([query])[0]
        let tables = try decoding(try SearchedTable.all(answer, users))
        for (index, table) in tables.enumerated() {
            progress((table.name, index, tables.count))
            try residue.look(into: table, search, transaction)
        }
        return residue
    }

    /// Opens the database where accounts begin, as a root or an app file says, or else at the table that is certainly of users.
    ///
    /// That nobody knows where is no reason to search for nobody.
    private static func open(
        _ root: AccountRoot.Name?, on connection: Connection, _ candidates: [App], _ options: InquiryOptions
    ) throws(Failure) -> (ReadTransaction, AccountStart?) {
        do throws(Failure) {
            let inquiry = try AccountInquiry.open(
                AccountRequest(users: [], root: root), on: connection, candidates: candidates, options: options)
            return (inquiry.transaction, inquiry.start)
        } catch {
            var isUndescribed = false
            if case .undescribed = error.refusal as? AccountRefusal { isUndescribed = true }
            guard root == nil, isUndescribed || [.usage, .notFound, .forbidden].contains(error.kind) else {
                throw error
            }
            try failing { () throws(PQError) in try connection.rollbackIfOpen() }
            return (ReadTransaction(on: connection, settings: .init(timeout: options.timeout)), nil)
        }
    }

    private mutating func look(
        into table: SearchedTable, _ search: NeedleSearch, _ transaction: ReadTransaction
    ) throws(Failure) {
        if table.isSecured { unsearched.append((table.name, .secured)) }
        // A number that other tables count with too means nobody where no name says so; amounts are never ids.
        let silent = table.columns.filter { $0.isReadable && !search.means($0) && !$0.isExplained }
        if !silent.isEmpty { unsearched.append((table.name, .ambiguous(columns: silent.map(\.name)))) }
        var bindings = Bindings()
        // Nor does anybody know what stands in those that this role may not read.
        var hidden = table.columns.filter { !$0.isReadable && !search.means($0) && !$0.isExplained }
        // With what a line takes for them who is meant, where that is less.
        var tests: [(column: SearchedTable.Column, sql: String, certain: String)] = []
        for column in table.columns where search.means(column) {
            var all = bindings
            guard let test = search.test(column.name, kind: column.kind, &all) else { continue }
            let only = column.isCount && !table.isDistributed ? column.condition : nil
            let sql = only.map { "(\(test) and \($0))" } ?? test
            guard column.isReadable else {
                // A key that says what it counts is another row's.
                if column.kind != "uuid" || !column.isExplained || column.isTelling { hidden.append(column) }
                continue
            }
            bindings = all
            let certain =
                column.isEmptied
                ? bindings.attempt { search.certain.test(column.name, kind: column.kind, &$0) } ?? "false" : sql
            tests.append((column, sql, certain))
        }
        note(hidden, in: table)
        let loose =
            table.isDistributed
            ? tests.map(\.column).compactMap { search.loosened.test($0.name, kind: $0.kind, &bindings) }.joined(
                separator: " or ")
            : ""
        guard !tests.isEmpty else { return }
        // By name, since this role may not read them all.
        let columns = tests.map { "t.\(Identifier($0.column.name).quoted)" }.joined(separator: ", ")
        let source =
            table.isDistributed
            ? "(select \(columns) from \(table.ownRows) t where \(loose) offset 0)" : table.ownRows
        let texts = search.isShort ? tests.map(\.column).filter(\.isText).map(\.name) : []
        if !texts.isEmpty { partly.append((table.name, texts)) }
        let counts = tests.flatMap { [$0.sql, $0.certain] }.map { "pg_catalog.count(*) filter (where \($0))" }
        let sql = """
            select \(counts.joined(separator: ", ")) from \(source) t \
            where \(tests.map(\.sql).joined(separator: " or "))
            """
        let outcome = try failing { () throws(PQError) in
            try transaction.read([Query(unsafe: sql, values: bindings.values)], isLast: false)[0]
        }
        switch outcome {
        case .success(let rows):
            let counts = try decoding(try rows.only().integers())
            searched += tests.count
            for (number, test) in tests.enumerated() where counts[2 * number] > 0 {
                let certain = counts[2 * number + 1]
                found.append(
                    Place(
                        table: table.name, column: test.column.name, rows: certain > 0 ? certain : counts[2 * number],
                        isCopy: table.isCopy, isSettled: test.column.isNamedForGood || certain == 0))
            }
        case .failure(let error): unsearched.append((table.name, .failed(error)))
        }
    }

    /// Takes down columns that may hold the text, and that this role may not read.
    private mutating func note(_ hidden: [SearchedTable.Column], in table: SearchedTable) {
        let settled = hidden.filter(\.isSettled)
        if !settled.isEmpty { unsearched.append((table.name, .settled(columns: settled.map(\.name)))) }
        // The salt of the ledger is for nobody, and holds nobody.
        guard hidden.count > settled.count, table.schema != "usher" else { return }
        unsearched.append((table.name, .unreadable(columns: hidden.count - settled.count)))
    }
}

/// A table with the columns in which a text is looked for.
private struct SearchedTable {
    struct Column {
        let name: String
        let kind: String
        /// Whether it means users.
        let isTelling: Bool
        /// Whether a key or its name says what else the column counts.
        let isExplained: Bool
        let isReadable: Bool
        /// Whether a line lets people be named there, or says anything of whoever stands there.
        let isNamedForGood: Bool
        let isSettled: Bool
        /// Whether a line takes whoever is certainly meant out of it.
        let isEmptied: Bool
        /// The condition under which a number in it means a user, where lines have one.
        let condition: String?

        var isCount: Bool { ["number", "numbers"].contains(kind) }
        var isText: Bool { !isCount && kind != "uuid" }
    }

    let oid: UInt32
    let schema: String
    let name: String
    /// The table as SQL: what inherits from it is searched by itself, with the columns that it has besides.
    let ownRows: String
    let isCopy: Bool
    /// Whether Citus keeps its rows on other servers.
    let isDistributed: Bool
    let isSecured: Bool
    private(set) var columns: [Column] = []

    private init(_ row: Row, _ users: Residue.KnownUsers) throws(DecodingFailure) {
        let relation = try row.text("name")
        oid = try row.identifier("table")
        schema = try row.text("schema")
        name = "\(schema).\(relation)"
        ownRows =
            (try row.boolean("partitioned") ? "" : "only ")
            + "\(Identifier(schema).quoted).\(Identifier(relation).quoted)"
        isCopy = try row.boolean("is_copy")
        isDistributed = try row.boolean("distributed")
        let isSecured = try row.boolean("secured")
        self.isSecured = users.mayHide(rowsOf: oid) ?? isSecured
    }

    /// The rows of a table stand together.
    static func all(_ answer: Rows, _ users: Residue.KnownUsers) throws(DecodingFailure) -> [SearchedTable] {
        var tables: [SearchedTable] = []
        for row in answer.rows {
            let oid = try row.identifier("table")
            if tables.last?.oid != oid { tables.append(try SearchedTable(row, users)) }
            let name = try row.text("column")
            let isOfUsers = users.isMeant(by: name, of: oid)
            tables[tables.count - 1].columns.append(
                Column(
                    name: name, kind: try row.text("kind"), isTelling: isOfUsers == true,
                    isExplained: try row.boolean("explained") || isOfUsers == false,
                    isReadable: try row.boolean("readable"), isNamedForGood: users.staysNamed(in: name, of: oid),
                    isSettled: users.isSettled(name, of: oid), isEmptied: users.isEmptied(name, of: oid),
                    condition: users.condition(on: name, of: oid)))
        }
        return tables
    }
}

/// How texts are looked for in columns of different kinds: as a deletion looks for what a user is called.
private struct NeedleSearch {
    private let numbers: [String]
    private let uuids: [String]
    /// What is none of these and no email.
    private let words: [String]
    /// Whether one may count anything.
    let isShort: Bool
    private var mentions: Spellings

    var isNumber: Bool { !numbers.isEmpty }

    init(_ texts: [String], _ users: Residue.KnownUsers, _ transaction: ReadTransaction) throws(Failure) {
        let numbers = texts.filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        uuids = texts.compactMap(Spellings.uuid)
        let emails = texts.filter {
            $0.split(separator: "@", omittingEmptySubsequences: false).count == 2 && !$0.contains(" ")
        }
        words = texts.filter { !numbers.contains($0) && !emails.contains($0) && Spellings.uuid($0) == nil }
        var mentions = Spellings()
        mentions.speech = users.speech
        mentions.uuids = Spellings.Needles(uuids: uuids)
        mentions.addresses = Spellings.Needles(addresses: emails.map { $0.lowercased() })
        if !emails.isEmpty { mentions.others = try users.others(like: emails.map { $0.lowercased() }, in: transaction) }
        // A bare number stands in many texts: it counts where a name speaks of users.
        mentions.longNumbers = numbers.filter { Identity.isLong($0) }
        mentions.shorts = numbers.filter { !Identity.isLong($0) }
        isShort = !mentions.shorts.isEmpty
        (self.numbers, self.mentions) = (numbers, mentions)
    }

    /// The same for whoever looks no further than into the text, and for a line that changes what is written.
    var loosened: NeedleSearch { taking(.anybody) }
    var certain: NeedleSearch { taking(.nobody) }

    private func taking(_ longer: Spellings.Longer) -> NeedleSearch {
        var search = self
        search.mentions.longer = longer
        return search
    }

    /// Whether they mean somebody in a column: a short number does so only where a name says it.
    func means(_ column: SearchedTable.Column) -> Bool { !column.isCount || !isShort || column.isTelling }

    /// The condition under which a column holds one of them; nil where it cannot.
    func test(_ column: String, kind: String, _ bindings: inout Bindings) -> String? {
        let column = cell(column)
        let text = Spellings.text(of: column, type: kind)
        var tests: [String?] = []
        switch kind {
        case "uuid": tests = uuids.map { "\(column) = \(bindings.bind($0, as: "uuid"))" }
        case "number": tests = numbers.map { "\(column) = \(bindings.bind($0, as: "numeric"))" }
        case "numbers": tests = numbers.map { "\(bindings.bind($0, as: "numeric")) = any (\(column))" }
        default:
            tests = [mentions.condition(text, isDocument: kind == "json", &bindings)]
            if kind == "bytea" { tests.append(mentions.bytes(column, &bindings)) }
            if kind != "json" { tests += numbers.map { "\(text) = \(bindings.bind($0, as: "text"))" } }
            tests += words.map { Spellings.holds($0, in: text, &bindings) }
        }
        let found = tests.compactMap { $0 }
        return found.isEmpty ? nil : found.count == 1 ? found[0] : "(\(found.joined(separator: " or ")))"
    }
}
