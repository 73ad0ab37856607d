internal import AppFile
internal import Catalog
internal import PQ

/// A column that can be read as keys of other rows, though no foreign key says so: one way by which rows may belong to an
/// account.
///
/// This page is the way of one deletion, with the nouns that it takes. Whatever else there is stands inside of one of these, or
/// is a use that needs none of it to be understood.
///
/// **Where it begins.** An `AccountRequest` names users, and its `AccountAnswers` say what becomes of rows that nothing else
/// settles. `AccountStart` is the `AccountRoot`, a unique column with the values of these users, and the app file about it.
///
/// **What could belong to an account.** `AccountMap` reads it off the catalog: the `Graph` of tables and foreign keys, what
/// names say by the `Lexicon`, the `AccountLines` of the app file. Each way from rows to what they refer to is an
/// `AccountLink`, *because* a foreign key enforces it, a line declares it, or somebody answered for a reading; each has an
/// effect: the row goes, is emptied, stays, or stands in the way. `KeyColumns` are what such ways refer to.
///
/// **What does belong.** `AccountClosure` follows the links from the root and counts: a row goes when one of its links yields a
/// key that goes, unless a line says that it stays, is emptied or is overwritten; it is *shared* when another link or reading
/// of the same row yields a user who stays, in no more steps (`isShared`).
///
/// **What is open.** `Readings` are the columns (`OpenColumn`) that names make candidates and that no key and no line settles.
/// In each row of `table` such a column yields keys: a scalar one, a list several; a column beside it may say which rows mean
/// this table and not another; a text or a document yields whatever stands in it. `Evidence` has points. Two of names suffice
/// to look (`speaking`), since that a key which goes stands there is worth another, and four where it is one thing in the
/// world. Of users more is looked for than keys: `Identity` is what somebody is known by, `Spellings` how that stands in texts.
/// What is found is a `HeldColumn`, which refuses the deletion until somebody answers for it, and then becomes a link like any
/// other.
///
/// **What is decided by.** All of this and `TriggerWrites`, who of the database's own triggers writes where meanwhile, read at
/// one instant, is a `FoundAccount`; in words it is an `AccountPlan` with what stands in the way. `Erasure` shows it, and runs
/// an attempt in one transaction, which finds the account again and compares: an archive is written first, where one is wanted
/// (`ArchiveWriter`); `Detachment` frees the rows that stay, `Ladder` deletes the others by the gentlest way that works,
/// `Verification` holds against the plan what the server counted and what is still there, `WrittenRows` are what triggers wrote
/// meanwhile. Behind the commit the same readings are looked into once more. All that came of it is the `ErasureReport`. Of a
/// big account most goes before, in batches, children first.
///
/// Whoever writes the app file is asked about the same columns before, once, by their samples (`Survey`); from three points on
/// (`asking`). Export shows what the closure reaches, and names what is open; residue looks everywhere, and takes from the same
/// evidence what a small number means. `Restore` brings back what an archive holds.
struct Reading {
    /// What identifies the rows of a table.
    struct Key: Hashable {
        let table: UInt32
        let column: String
    }

    /// The column beside it that says which table is meant, and the words in it that mean this one.
    struct Only: Hashable {
        let column: String
        var words: [String]
        /// Whether rows that say nothing mean it too.
        var isStandard = false

        /// The condition under which a row `t` says so.
        func condition(_ bindings: inout Bindings) -> String {
            let list = bindings.bind(words, of: "text")
            let says = "(\(cell(column))::pg_catalog.text collate pg_catalog.\"C\") = any (\(list))"
            return isStandard ? "(\(says) or \(cell(column)) is null)" : says
        }
    }

    let column: OpenColumn
    /// How what is read stands in it.
    let form: HeldColumn.Kind
    /// What identifies whom it means.
    let key: KeyColumns
    /// What is compared with the key: the column, or an element of it that is called `k`.
    let own: AccountLink.Column
    var only: Reading.Only?
    /// Whether names say that it means users; nil where it means rows of another table.
    let isOfUsers: Bool?
    /// The column by which rows refer to it that take it along, where no row that stays refers to it, too.
    var half: Key?
    /// Whether it is looked into for the person as a whole, and not for a mention.
    var isExact = false
    /// Whether an index finds its values in a table that takes long to read.
    var needsIndex = false
    /// Whether a line takes the person out of it, so that nobody is asked.
    var isSettled = false
    /// Whether it is overwritten in rows that hold the person.
    var isOverwritten = false

    /// A table of more pages than this takes long to read; one of no more than a few takes no time, whatever is asked of it.
    static let manyPages = 8192
    private static let fewPages = 64

    var name: String { column.name }
    var table: UInt32 { column.table }
    var isPerson: Bool { isOfUsers != nil }
    /// Whether names say that it means users.
    var isTelling: Bool { isOfUsers == true }

    /// Whether an index finds what it is asked for.
    var isByIndex: Bool { form == .key ? column.isIndexed : form == .text && isExact && needsIndex }

    /// Whether a row refers by it to one row at most, of a table that is always the same, and nobody is mentioned.
    var isPlain: Bool { !isPerson && only == nil && form == .key && half == nil }

    /// Whether a row is found for what it says rather than for whose it is.
    var isMention: Bool {
        switch form {
        case _ where !isPerson: false
        case .key: false
        case .text: isList || !isTelling
        case .list, .json: true
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
        case .json: false
        }
    }

    /// Whether to search it takes long and promises little, so that it is done once, behind the deletion.
    func isCostly(_ graph: Graph) -> Bool {
        guard let table = graph.tables[table], !table.isForeign, !isTelling else { return false }
        return max(table.pages, column.pagesAside) > Self.manyPages && !(form == .key && column.isIndexed)
    }

    /// Whether to search it costs nothing that anybody would notice, so that no index has to find what stands there.
    ///
    /// What such searches come to grows with the tables of a schema, and not with what they hold.
    func isCheap(_ graph: Graph) -> Bool {
        guard let table = graph.tables[table], !table.asksElsewhere else { return false }
        // Citus may read more of a table than a statement names, which is refused who may see some columns alone.
        if table.isDistributed, !table.isReadableWhole { return false }
        return max(table.pages, column.pagesAside) <= Self.fewPages
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

    /// A list whose elements are keys, as a line says.
    init(_ column: OpenColumn, of element: AccountLink.Column, to key: KeyColumns) {
        (self.column, self.key, own) = (column, key, element)
        (form, isOfUsers) = (.list, nil)
    }

    /// The rows of a table that rows of another refer to.
    init(_ column: OpenColumn, by reference: Graph.Reference) {
        let pair = reference.columns[0]
        (self.column, form, isOfUsers) = (column, .key, nil)
        half = Key(table: reference.table, column: pair.name)
        own = .init(expression: cell(pair.referenced), equals: pair.referencedEquals)
        key = KeyColumns(
            table: reference.table, expressions: [cell(pair.name)], types: [pair.referencedType],
            equals: [pair.referencedEquals])
    }

    // MARK: Users

    /// A column that may hold users, or speak of them.
    init(_ column: OpenColumn, _ form: HeldColumn.Kind, of root: AccountRoot, isTelling: Bool, only: Reading.Only?) {
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
        let refers = meets { match([$0], values) }
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
        return Reading.list(cell(name), where: "\(isGone) is not true")
    }

    /// The elements `k` of a list that meet a condition, in their order; a list of lists keeps its shape, with nothing in place of
    /// the others.
    static func list(_ list: String, where condition: String) -> String {
        """
        (case when pg_catalog.array_ndims(\(list)) > 1 then (with recursive \
        gone (k, place) as (select k, pg_catalog.row_number() over () from pg_catalog.unnest(\(list)) as l (k) \
        where (\(condition)) is not true), \
        rest (list, place) as (select pg_catalog.array_replace(\(list), null, null), 0::pg_catalog.int8 union all \
        select pg_catalog.array_replace(r.list, g.k, null), g.place from rest r join gone g on g.place = r.place + 1) \
        select r.list from rest r order by r.place desc limit 1) \
        else array(select k from pg_catalog.unnest(\(list)) with ordinality as l (k, place) \
        where \(condition) order by place) end)
        """
    }
}

extension Graph {
    /// Whether foreign keys refer to a column by itself.
    func isReferred(_ key: Reading.Key) -> Bool {
        references.contains { $0.referenced == key.table && $0.columns.map(\.referenced) == [key.column] }
    }
}

extension Reading.Key {
    /// Reads `schema.table.column`; nil where there is no such table.
    init?(_ path: String, _ graph: Graph) {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return nil }
        self.init(table: table.oid, column: parts[2])
    }
}
