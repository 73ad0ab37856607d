import AppFile

/// A table with its schema, perhaps a column of it, as SQL and the program's own options read it: in quotes where it has to be.
func pasted(_ table: String, _ column: String? = nil) -> String {
    let names = table.split(separator: ".", maxSplits: 1).map(String.init)
    return SQLName.path(of: names + [column].compactMap { $0 })
}
