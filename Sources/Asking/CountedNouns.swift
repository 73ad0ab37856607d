extension Int {
    /// A number with its noun: `1 row`, `2 rows`.
    package func of(_ noun: String) -> String { "\(self) \(self == 1 ? noun : noun.plural)" }
}

extension Collection<String> {
    /// The first texts and the number of the other texts, such as `eu1, eu2 and 3 more`.
    package func listed(most: Int) -> String {
        prefix(most).joined(separator: ", ") + (count > most ? " and \(count - most) more" : "")
    }
}

extension String {
    /// The English plural of a noun: `sessions`, `matches`, `identities`.
    package var plural: String {
        if ["s", "x", "z", "ch", "sh"].contains(where: hasSuffix) { return self + "es" }
        let isVowelBefore = ["ay", "ey", "oy", "uy"].contains(where: hasSuffix)
        return hasSuffix("y") && !isVowelBefore ? dropLast() + "ies" : self + "s"
    }
}
