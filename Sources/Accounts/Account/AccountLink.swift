internal import Catalog
internal import PQ

/// The columns of a table that others refer to; the values of deleted rows in them are what a deletion looks for.
struct KeyColumns: Hashable {
    let table: UInt32
    /// Expressions over a row that is called `t`.
    let expressions: [String]
    let types: [String]
    /// The operators that compare two values, with their schemas.
    let equals: [String]
    /// The partition whose rows alone are meant.
    var partition: UInt32?
}

extension KeyColumns {
    /// What tells the rows of a table apart.
    init(of table: Graph.Table) {
        self.init(
            table: table.oid, expressions: table.key.map { cell($0.name) }, types: table.key.map(\.type),
            equals: table.key.map(\.equals))
    }

    /// What a foreign key refers to; a list is looked up as it is written, since a list of lists has no lists for elements.
    init(of reference: Graph.Reference, table: UInt32, partition: UInt32?) {
        self.init(
            table: table,
            expressions: reference.columns.map { $0.isList ? asText($0.referenced) : cell($0.referenced) },
            types: reference.columns.map { $0.isList ? "text" : $0.referencedType },
            equals: reference.columns.map { $0.isList ? "operator(pg_catalog.=)" : $0.referencedEquals },
            partition: partition)
    }
}

extension AccountLink.Column {
    /// What a foreign key refers with.
    init(_ column: Graph.Column) {
        self =
            column.isList
            ? .init(expression: asText(column.name), equals: "operator(pg_catalog.=)")
            : .init(expression: cell(column.name), equals: column.equals)
    }
}

extension Graph.Column {
    var isList: Bool { referencedType.hasSuffix("[]") }
}

/// One way by which a row belongs to an account: what it refers to with, and what becomes of it.
struct AccountLink {
    enum Source: Hashable {
        /// A foreign key of the database.
        case key(Graph.Reference)
        /// A foreign key that a table would have if it were inherited as columns are.
        case inherited(Graph.Reference)
        /// A reference that the app file declares.
        case declared(String)
        /// A column that holds the person although nothing declares it, and that the operator answered for.
        case suspected(String)
    }

    enum Effect: Hashable {
        case delete
        /// These columns are emptied, or set to their defaults, and the row stays.
        case detach([String], toDefault: Bool)
        /// The row stays as it is.
        case stay
        /// The row has to stay and cannot: nothing can be deleted that it refers to.
        case block(AccountPlan.Required)
    }

    let id: Int
    let child: UInt32
    let key: KeyColumns
    /// What is compared with the values of the key, over a row that is called `t`.
    var columns: [Column]
    let source: Source
    /// The partition whose rows alone are meant.
    var partition: UInt32?
    var effect: Effect
    /// Whether the row would go with what it refers to, were there no policy for its table.
    var isOwning = false
    /// What it follows where neither a foreign key nor a line does, and what the person is known by then.
    var reading: Reading?
    var identity: Identity?
    /// The column that a line declares as a reference, and whether it may be empty.
    var column: String?
    var isFillable = false

    struct Column: Hashable {
        let expression: String
        let equals: String
    }

    var parent: UInt32 { key.table }

    var reference: Graph.Reference? { if case .key(let reference) = source { reference } else { nil } }

    /// Whether it refers by a column, alone or in an expression that begins with it.
    func holds(_ column: String) -> Bool {
        self.column == column || columns.contains { $0.expression.hasPrefix(cell(column)) }
    }

    var isDeclared: Bool { if case .declared = source { true } else { false } }

    /// Whether a row refers by it to one row at most, of a table that is always the same, and nobody is mentioned.
    var isPlain: Bool { reading?.isPlain ?? true }

    /// Whether somebody is held or mentioned in a column of which nothing else says so.
    var isPerson: Bool { reading?.isPerson == true }

    /// Whether it only says who wrote a row down: the row goes with nobody.
    func isStamp(_ lexicon: Lexicon) -> Bool {
        guard let reference, reference.action != .cascade else { return false }
        return reference.columns.allSatisfy { lexicon.isStamp($0.name) }
    }

    /// Whether a row can be without what it refers to.
    var canBeEmpty: Bool { reference?.columns.allSatisfy(\.isFillable) ?? isFillable }

    /// Whether the database itself deletes the row with what it refers to.
    var cascades: Bool { reference?.action == .cascade && reference?.isEnforced == true && effect == .delete }

    /// Whether a row that refers to a deleted one stands in the way of the statement.
    var orders: Bool {
        guard let reference else { return false }
        return effect == .delete || ![.setNull, .setDefault].contains(reference.action)
    }
}

/// Values bound to a statement: each set of key values once, however often it is looked for.
struct Bindings {
    private(set) var values: [BoundValue?] = []
    /// As what each was bound.
    private var types: [String] = []
    private var numbers: [KeyColumns: [Role: Int]] = [:]

    /// Which values of a key are meant.
    enum Role: Hashable { case deleted, own, root, excluded(Int) }

    /// Makes a condition, or whatever needs values, and forgets what was bound for it where there is none: the server refuses
    /// values that a statement does not name.
    mutating func attempt<Part>(_ make: (inout Bindings) -> Part?) -> Part? {
        var further = self
        guard let part = make(&further) else { return nil }
        self = further
        return part
    }

    /// Binds a value and gives its placeholder.
    mutating func bind(_ value: String?, as type: String) -> String { bind(value.map { .text($0) }, as: type) }

    /// Binds a list of values of a type and gives its placeholder.
    mutating func bind(_ elements: [String], of type: String) -> String {
        bind(BoundValue(elements, of: type), as: type + "[]")
    }

    /// Binds a value that may be packed and gives its placeholder: what many columns are held against is sent once.
    mutating func bind(_ value: BoundValue?, as type: String) -> String {
        let known = values.indices.first { types[$0] == type && values[$0] == value }
        if known == nil {
            values.append(value)
            types.append(type)
        }
        return "$\((known ?? values.count - 1) + 1)::\(type)"
    }

    /// Binds the arrays of a key and gives their placeholders.
    mutating func bind(_ arrays: [BoundValue], of key: KeyColumns, as role: Role = .deleted) -> [String] {
        let known = numbers[key]?[role]
        let first = known ?? values.count + 1
        if known == nil {
            numbers[key, default: [:]][role] = first
            values += arrays
            types += key.types.map { $0 + "[]" }
        }
        return key.types.enumerated().map { "$\(first + $0)::\($1)[]" }
    }
}

extension AccountLink {
    /// The condition under which a row `t` refers to one of the values; nil when there are no values.
    func condition(
        _ keys: [KeyColumns: [BoundValue]], as role: Bindings.Role = .deleted, _ bindings: inout Bindings
    ) -> String? {
        guard let arrays = keys[key] else { return nil }
        if let reading { return reading.condition(keys, as: role, identity, &bindings) }
        return match(columns, bindings.bind(arrays, of: key, as: role), partition: partition)
    }

    /// Whether no column of the reference is NULL.
    var isPresent: String { columns.map { "\($0.expression) is not null" }.joined(separator: " and ") }
}

/// The condition under which expressions equal one of the rows of parallel arrays.
func match(_ columns: [AccountLink.Column], _ arrays: [String], partition: UInt32? = nil) -> String {
    // A part may have parts itself, in which its rows lie.
    let place =
        partition.map {
            "t.tableoid in (select p.relid from pg_catalog.pg_partition_tree(\($0)::pg_catalog.oid::pg_catalog.regclass) p) and "
        } ?? ""
    if columns.count == 1, let column = columns.first, let array = arrays.first {
        return "(\(place)\(column.expression) \(column.equals) any (\(array)))"
    }
    let sources = arrays.map { "pg_catalog.unnest(\($0))" }
    let names = columns.indices.map { "k\($0)" }
    let pairs = zip(columns, names).map { "\($0.expression) \($0.equals) k.\($1)" }
    return """
        (\(place)exists (select from rows from (\(sources.joined(separator: ", "))) \
        as k (\(names.joined(separator: ", "))) where \(pairs.joined(separator: " and "))))
        """
}

extension KeyColumns {
    /// The values of these columns in all rows that a statement selects, each column's as one output; or of others that hold
    /// such values.
    func gathered(from columns: [String]? = nil, of partition: UInt32? = nil) -> [String] {
        let place = partition.map { " filter (where t.tableoid = \($0)::pg_catalog.oid)" } ?? ""
        return zip(columns ?? expressions, types).map { expression, type in
            let list = "pg_catalog.array_agg(\(expression))\(place)"
            // What a domain stands for is packed as what it is.
            return PackedList.packs(type) ? "pg_catalog.array_send((\(list))::\(type)[])" : "(\(list))::pg_catalog.text"
        }
    }

    /// Such outputs as they are bound again; nil where there were no rows, of which all come as NULL.
    func arrays(_ outputs: some Collection<Value>) -> [BoundValue]? {
        let arrays = zip(outputs, types).compactMap { output, type -> BoundValue? in
            guard let text = output.text else { return nil }
            return PackedList.packs(type) ? PackedList(sent: text).map { .list($0) } : .text(text)
        }
        return arrays.count == expressions.count ? arrays : nil
    }

    /// The condition under which a row `t` has one of the values in these columns.
    func matches(_ arrays: [BoundValue], as role: Bindings.Role, _ bindings: inout Bindings) -> String {
        let columns = zip(expressions, equals).map { AccountLink.Column(expression: $0, equals: $1) }
        return match(columns, bindings.bind(arrays, of: self, as: role), partition: partition)
    }
}

extension Graph.Table {
    /// The condition under which a row `t` has the key that JSON holds, as texts in order.
    func hasKey(in json: String) -> String {
        key.enumerated().map { number, column in
            "\(cell(column.name)) \(column.equals) (\(json) ->> \(number))::\(column.type)"
        }.joined(separator: " and ")
    }

    /// What identifies the row `t`, as JSON.
    var keyText: String {
        let texts = key.map { "\(cell($0.name))::pg_catalog.text" }.joined(separator: ", ")
        return "pg_catalog.to_jsonb(array[\(texts)]::pg_catalog.text[])::pg_catalog.text"
    }
}

func asText(_ column: String) -> String { "\(cell(column))::pg_catalog.text" }

/// A column of the row that is called `t`.
func cell(_ column: String) -> String { "t." + Identifier(column).quoted }
