internal import Catalog
internal import PQ

/// A reading from evidence, as a way by which rows may belong to an account: nothing enforces or declares it, so it is
/// followed only where somebody answered for it.
///
/// It means users, or rows of another table. Users are known by more than their keys, and may be mentioned in texts; of other
/// rows the key alone counts.
struct OpenReading {
    /// How what is read stands in the column.
    enum Form { case key, list, text, document }

    let column: OpenColumn
    let form: Form
    /// What identifies whom it means.
    let key: KeyColumns
    /// What is compared with the key: the column, or an element of it that is called `k`.
    let own: AccountLink.Column
    var only: Reading.Only?
    /// Whether names say that it means users; nil where it means rows of another table.
    let isOfUsers: Bool?
    /// Those that refer to it instead, where it is the other half of what goes.
    var half: Half?
    /// Whether it is looked into for the person as a whole, and not for a mention.
    var isExact = false
    /// Whether an index finds its values in a table that takes long to read.
    var needsIndex = false
    /// Whether it is overwritten in rows that hold the person.
    var isOverwritten = false

    /// The column by which rows refer to rows that nobody else has, and what identifies those that refer.
    struct Half: Hashable {
        let table: Graph.Table
        let column: String
        let equals: String
        let key: Graph.KeyColumn

        /// The condition under which none refer to a row `t` but those that an array names: that row is called so in its own
        /// select, and goes in under another name.
        func areAmong(_ array: String, _ own: AccountLink.Column) -> String {
            let rows = "select \(cell(column)) as k0, \(cell(key.name)) as k1 from \(table.ownRows) t\(table.apart)"
            return "not exists (select from (\(rows)) referring where referring.k0 \(equals) \(own.expression) "
                + "and (referring.k1 \(key.equals) any (\(array))) is not true)"
        }
    }

    /// A table of more pages than this takes long to read.
    static let manyPages = 8192

    var name: String { column.name }
    var table: UInt32 { column.table }
    var isPerson: Bool { isOfUsers != nil }
    /// Whether names say that it means users.
    var isTelling: Bool { isOfUsers == true }

    /// Whether a row refers by it to one row at most, of a table that is always the same, and nobody is mentioned.
    var isPlain: Bool { !isPerson && only == nil && form == .key && half == nil }

    /// Whether a row is found for what it says rather than for whose it is.
    var isMention: Bool {
        switch form {
        case _ where !isPerson: false
        case .key: false
        case .text: isList || !isTelling
        case .list, .document: true
        }
    }

    /// Whether several stand there, and the others stay when one is taken out; what it lists may be keys or texts.
    var isList: Bool { column.isList }

    /// Whether the column can be without what it refers to.
    var isDetachable: Bool { column.isFillable || isList }

    /// Whether it holds what stands nowhere by chance, and what can be compared without reading a text.
    var isUUID: Bool { form == .key && column.kind == .uuid }

    /// Whether names say that it holds users, or an index tells at once whether it does.
    ///
    /// The addresses in the rows of users are those of others.
    func isCandidate(besides users: Set<UInt32>) -> Bool {
        switch form {
        case .key: isTelling || column.isIndexed
        case .list, .text: isTelling || column.isAddress && !users.contains(table)
        case .document: false
        }
    }

    /// Whether to search it takes long and promises little, so that it is done once, behind the deletion.
    func isCostly(_ graph: Graph) -> Bool {
        guard let table = graph.tables[table], !table.isForeign, !isTelling else { return false }
        return max(table.pages, column.pagesAside) > Self.manyPages && !(form == .key && column.isIndexed)
    }

    // MARK: Rows of other tables

    /// How a column is compared with a key of a table; nil where the two have nothing in common.
    init?(_ column: OpenColumn, to table: UInt32, _ parent: OpenColumn, only: Reading.Only?) {
        guard [.number, .uuid, .text].contains(column.kind), [.number, .uuid, .text].contains(parent.kind) else {
            return nil
        }
        let isText = column.kind == .text || parent.kind == .text
        guard isText || column.kind == parent.kind else { return nil }
        /// A uuid is written with dashes or without, in small letters or large ones.
        func compared(_ value: String) -> String {
            guard isText else { return value }
            let text = "(\(value)::pg_catalog.text collate pg_catalog.\"C\")"
            return [parent.kind, column.kind].contains(.uuid)
                ? "pg_catalog.lower(pg_catalog.translate(\(text), '-{}', ''))" : text
        }
        (self.column, self.only, isOfUsers) = (column, only, nil)
        form = column.isList ? .list : .key
        let equals = "operator(pg_catalog.=)"
        own = .init(expression: compared(column.isList ? "k" : cell(column.name)), equals: equals)
        key = KeyColumns(
            table: table, expressions: [compared(cell(parent.name))], types: [isText ? "text" : parent.type],
            equals: [equals])
    }

    /// The rows of a table that rows of another refer to, and nobody else's.
    init(_ column: OpenColumn, by reference: Graph.Reference, of rows: Graph.Table) {
        let (pair, referring) = (reference.columns[0], rows.key[0])
        (self.column, form, isOfUsers) = (column, .key, nil)
        half = Half(table: rows, column: pair.name, equals: pair.equals, key: referring)
        own = .init(expression: cell(pair.referenced), equals: pair.referencedEquals)
        key = KeyColumns(
            table: rows.oid, expressions: [cell(pair.name), cell(referring.name)],
            types: [pair.referencedType, referring.type], equals: [pair.referencedEquals, referring.equals])
    }

    // MARK: Users

    /// A column that may hold users, or speak of them.
    init(_ column: OpenColumn, _ form: Form, of root: AccountRoot, isTelling: Bool, only: Reading.Only?) {
        (self.column, self.form, self.only, isOfUsers) = (column, form, only, isTelling)
        key = root.key
        own = .init(expression: cell(column.name), equals: root.equals)
    }

    // MARK: As SQL

    /// The condition under which a row `t` holds one of the values, or the person; nil when it cannot.
    func condition(
        _ keys: [KeyColumns: [BoundValue]], as role: Bindings.Role = .deleted, _ identity: Identity?,
        _ bindings: inout Bindings
    ) -> String? {
        if isPerson { return identity?.test(self, &bindings) }
        guard let arrays = keys[key] else { return nil }
        let values = bindings.bind(arrays, of: key, as: role)
        var refers = meets { match([$0], [values[0]]) }
        if let half { refers = "(\(refers) and \(half.areAmong(values[1], own)))" }
        return only.map { "(\(refers) and \($0.condition(&bindings)))" } ?? refers
    }

    /// The condition under which what stands in a row `t`, or one of what is listed there, meets another one.
    private func meets(_ condition: (AccountLink.Column) -> String) -> String {
        guard form == .list else { return condition(own) }
        return "exists (select from pg_catalog.unnest(\(cell(name))) as l (k) where \(condition(own)))"
    }

    /// What stands in the column once it does not refer to the values any more: of a list the rest of it.
    func emptied(_ keys: [KeyColumns: [BoundValue]], _ identity: Identity?, _ bindings: inout Bindings) -> String {
        guard isList else { return "null" }
        if isPerson { return identity?.emptied(self, &bindings) ?? "null" }
        guard let arrays = keys[key] else { return "null" }
        let isGone = match([own], bindings.bind(arrays, of: key))
        return OpenReading.list(cell(name), where: "\(isGone) is not true")
    }

    /// The elements `k` of a list that meet a condition, in their order.
    static func list(_ list: String, where condition: String) -> String {
        """
        array(select k from pg_catalog.unnest(\(list)) with ordinality as l (k, place) \
        where \(condition) order by place)
        """
    }
}
