import AppFile

/// A table with its schema, perhaps a column of it, as SQL and the program's own options read it: in quotes where it has to be.
func pasted(_ table: String, _ column: String? = nil) -> String {
    SQLName.path(ofTable: table, column: column)
}

/// Tables with their schemas, one behind the other.
func pasted(_ tables: [String]) -> String { tables.map { pasted($0) }.joined(separator: ", ") }
