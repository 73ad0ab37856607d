internal import Catalog
internal import PQ

/// Types as values of them are compared.
struct ComparedTypes {
    struct Kind {
        let base: UInt32
        let name: String
        let kind: String
        /// Whether it is a list of those.
        private(set) var isList: Bool

        /// What it lists, one by one.
        var each: Kind {
            var each = self
            each.isList = false
            return each
        }

        /// Whether there is a comparison for both; keys are written one way each.
        func compares(with other: Kind) -> Bool {
            isList == other.isList && (base == other.base || kind == other.kind && kind != "key")
        }
    }

    private var kinds: [TypeID: Kind] = [:]

    /// The catalog tells, since a comparison that fails would be an error in the server's log.
    init(_ types: some Sequence<TypeID>, _ transaction: ReadTransaction) throws(PQError) {
        let wanted = Set(types).map { String($0.rawValue) }
        let rows = try transaction.read(Query(file: "catalog/type_kinds.sql", [arrayLiteral(wanted)]))
        do throws(DecodingFailure) {
            for row in rows.rows {
                kinds[TypeID(rawValue: try row.identifier("oid"))] = Kind(
                    base: try row.identifier("base"), name: try row.text("name"), kind: try row.text("kind"),
                    isList: try row.boolean("is_list"))
            }
        } catch {
            throw .decoding(error)
        }
    }

    subscript(type: TypeID) -> Kind? { kinds[type] }
}
