extension Int {
    /// A number with its noun: `1 row`, `2 rows`.
    package func of(_ noun: String) -> String { "\(self) \(self == 1 ? noun : noun.plural)" }
}

extension String {
    /// The English plural of a noun: `sessions`, `matches`, `identities`.
    package var plural: String {
        if ["s", "x", "z", "ch", "sh"].contains(where: hasSuffix) { return self + "es" }
        let isVowelBefore = ["ay", "ey", "oy", "uy"].contains(where: hasSuffix)
        return hasSuffix("y") && !isVowelBefore ? dropLast() + "ies" : self + "s"
    }
}
