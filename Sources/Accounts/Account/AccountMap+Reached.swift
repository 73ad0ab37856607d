internal import Catalog

extension AccountMap {
    /// The tables whose rows may belong to users, and go with them.
    var reached: Set<UInt32> { reached(from: root.oid) }

    /// A table, and those whose rows may go with its rows.
    func reached(from table: UInt32) -> Set<UInt32> {
        var (reached, open): (Set<UInt32>, [UInt32]) = ([table], [table])
        while let table = open.popLast() {
            for id in linksByParent[table] ?? [] where links[id].isDeleting {
                if reached.insert(links[id].child).inserted { open.append(links[id].child) }
            }
        }
        return reached
    }

    /// Which references of rows lead to users, and over how many links.
    struct Chains {
        private let userTables: Set<UInt32>
        private let emptyTables: Set<UInt32>
        /// The fewest links between the rows of a table and users.
        private var lengths: [UInt32: Int] = [:]

        /// Longer chains say little about whose a row is.
        private static let longest = 6

        init(_ map: AccountMap) {
            userTables = map.userTables
            emptyTables = Set(map.graph.tables.values.filter(\.isEmpty).map(\.oid))
            for table in map.certain.keys { lengths[table] = 1 }
            let binding = map.links.filter { binds($0) && !emptyTables.contains($0.parent) }
            for length in 1...Self.longest {
                for link in binding where lengths[link.child] == nil {
                    let isNext = length == 1 ? userTables.contains(link.parent) : lengths[link.parent] == length - 1
                    if isNext { lengths[link.child] = length }
                }
            }
        }

        /// Whether a row belongs to whomever what it refers to belongs to: it would go with that.
        func binds(_ link: AccountLink) -> Bool {
            if case .detach = link.effect { return false }
            return link.isPlain && link.key.partition == nil
        }

        /// Whether a link leads to rows that are no users themselves, and can be followed.
        func isStep(_ link: AccountLink) -> Bool {
            link.isPlain && link.key.partition == nil && link.columns.count == link.key.expressions.count
                && !userTables.contains(link.parent) && !emptyTables.contains(link.parent)
        }

        func lead(from table: UInt32, within steps: Int = longest) -> Bool {
            lengths[table].map { $0 <= steps } ?? false
        }
    }
}
