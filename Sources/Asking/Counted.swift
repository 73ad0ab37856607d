extension Int {
    /// A number with its noun: `1 row`, `2 rows`.
    package func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
