extension AccountMap {
    /// The tables whose rows may belong to users, and go with them.
    var reached: Set<UInt32> {
        var (reached, open): (Set<UInt32>, [UInt32]) = ([root.oid], [root.oid])
        while let table = open.popLast() {
            for id in linksByParent[table] ?? [] where links[id].isDeleting {
                if reached.insert(links[id].child).inserted { open.append(links[id].child) }
            }
        }
        return reached
    }
}
