internal import Catalog
internal import PQ

/// What the names of columns say of the numbers in them.
struct Calling {
    /// What the rows of users and of other tables are called.
    private let (users, things): (Set<String>, Set<String>)
    /// The last words of that.
    private let kinds: Set<String>
    /// Whether people are users of another table: then the authors of an account are not accounts.
    private let areUsersOthers: Bool
    /// What columns are called of which every one with a foreign key refers to the users.
    private let columns: Set<String>

    init(_ map: AccountMap) {
        users = Set(map.userTables.compactMap { map.graph.tables[$0] }.map { Names.last(ofTable: $0.name) })
        let others = map.graph.tables.values.filter { !map.userTables.contains($0.oid) && $0.partitionOf == nil }
        things = Set(others.map { Names.thing(ofTable: $0.name) })
        areUsersOthers = things.contains("user") && !users.contains("user")
        // The users of a team are users, and so are the authors of its posts.
        kinds = Set(others.map { Names.last(ofTable: $0.name) }).subtracting(PersonNames.words)
        columns = Set(map.referencedTables.filter { $0.value == [map.root.oid] }.keys)
    }

    /// Whether a column is called as if it held users: the segment of a customer is no customer.
    func isOfUsers(_ row: Row) throws(DecodingFailure) -> Bool {
        let column = try row.text("column")
        if columns.contains(column) { return true }
        guard try row.boolean("is_reference") else {
            return areUsersOthers && PersonNames.isStamp(column) ? false : try row.boolean("is_telling")
        }
        let (thing, last) = Self.words(of: column)
        if users.contains(thing) { return true }
        if last.isEmpty || things.contains(thing) || things.contains(last) { return false }
        if users.contains(last) { return true }
        return !areUsersOthers && !PersonNames.isThing(last) && !kinds.contains(last)
    }

    /// Whether a column is called as if it held rows of another table.
    func isOfOthers(_ row: Row) throws(DecodingFailure) -> Bool {
        guard try row.boolean("is_reference") else { return false }
        let thing = Self.words(of: try row.text("column")).thing
        return things.contains(thing) && !users.contains(thing)
    }

    /// What a column refers to by its name, and the last word of that.
    private static func words(of column: String) -> (thing: String, last: String) {
        let stem = Names.stem(ofReference: column)
        let last = stem.last.map(Names.singular) ?? ""
        return ((stem.dropLast() + [last]).joined(separator: "_"), last)
    }
}

/// What stands beside a number and says of which table it is.
struct TypeWords {
    private let users: String
    /// What rows of other tables are called, as branches of a pattern.
    private let others: [String]

    init(_ map: AccountMap) {
        func forms(_ table: Graph.Table) -> [String] {
            [Names.thing(ofTable: table.name), Names.words(of: table.name).joined(separator: "_")]
        }
        let tables = map.userTables.compactMap { map.graph.tables[$0] }.flatMap(forms)
        let others = map.graph.tables.values.filter { !map.userTables.contains($0.oid) && $0.partitionOf == nil }
        let plain = Set(others.flatMap(forms)).subtracting(tables).filter { name in
            !name.isEmpty && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
        }
        users = PersonNames.word(Needles.word(of: map.root))
        self.others = plain.sorted().map { $0.split(separator: "_").joined(separator: "_?") }
    }

    /// The condition under which a column says that the number beside it is one of users; what says nothing may mean it,
    /// where the number is called so.
    func areOfUsers(_ column: String, ofAny: Bool) -> String {
        let text = "coalesce(\(cell(column))::pg_catalog.text, '')"
        let users = "\(text) ~* '(\(ofAny ? "" : "^$|")(^|[^a-z])\(users)s?$)'"
        // Where there is a table of contacts, a contact is no user.
        return others.isEmpty
            ? users : "\(users) and \(text) !~* '(^|[^a-z0-9_])(\(others.joined(separator: "|")))$'"
    }
}
