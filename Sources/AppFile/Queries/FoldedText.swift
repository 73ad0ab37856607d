/// Folds texts, so that spellings that people consider equal become equal.
///
/// Folding ignores case, accents and apostrophes, and writes `ae`, `oe`, `ue`, `aa` and `ss` as one letter.
package enum FoldedText {
    /// Folds a text in Swift.
    package static func fold(_ text: String) -> String {
        let lowered = String(text.lowercased().compactMap { removed.contains($0) ? nil : letters[$0] ?? $0 })
        return pairs.reduce(lowered) { $0.replacing($1, with: String($1.prefix(1))) }
    }

    /// Folds the result of an SQL expression; texts in ASCII need only `lower`, and other letters don't depend on the
    /// locale.
    static func sql(_ value: SQL) -> SQL {
        let from = letters.keys.sorted()
        let (old, new) = (String(from + removed.sorted()), String(from.compactMap { letters[$0] }))
        let folded: SQL = """
            case when pg_catalog.octet_length(\(value)) = pg_catalog.char_length(\(value)) \
            then pg_catalog.replace(pg_catalog.lower(\(value)), '''', '') \
            else pg_catalog.translate(pg_catalog.lower(\(value)), \(old, type: "text"), \(new, type: "text")) end
            """
        return pairs.reduce(folded) { text, pair in
            "pg_catalog.replace(\(text), '\(unsafe: pair)', '\(unsafe: String(pair.prefix(1)))')"
        }
    }

    private static let pairs = ["ae", "oe", "ue", "aa", "ss"]

    /// The characters that folding removes: apostrophes, and accents that follow their letter as separate characters.
    private static let removed = Set(
        Array("'’`´ʼ") + (0x300...0x36F).compactMap { Unicode.Scalar($0).map { Character($0) } })

    private static let letters: [Character: Character] = {
        var letters: [Character: Character] = [:]
        for (to, from) in accented { for letter in from { letters[letter] = to } }
        // The loops add the capitals of these letters, and of other scripts.
        for letter in letters.keys {
            let capital = letter.uppercased()
            if capital.unicodeScalars.count == 1, let capital = capital.first { letters[capital] = letters[letter] }
        }
        for scalar in (0x370...0x58F).compactMap(Unicode.Scalar.init) {
            let (capital, small) = (Character(scalar), Character(scalar).lowercased())
            if small.unicodeScalars.count == 1, let small = small.first, small != capital {
                letters[capital] = letters[small] ?? small
            }
        }
        return letters
    }()

    private static let accented: [(Character, String)] = [
        ("a", "àáâãäåāăąǎạảấầẩẫậắằẳẵặæ"), ("c", "çćĉċč"), ("d", "ďđð"), ("e", "èéêëēĕėęěẹẻẽếềểễệ"), ("g", "ĝğġģ"),
        ("h", "ĥħ"), ("i", "ìíîïĩīĭįıỉịǐ"), ("j", "ĵ"), ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņňŋ"),
        ("o", "òóôõöøōŏőǒọỏốồổỗộơớờởỡợœ"), ("r", "ŕŗř"), ("s", "śŝşšșß"), ("t", "ţťŧțþ"),
        ("u", "ùúûüũūŭůűųǔụủưứừửữự"), ("w", "ŵ"), ("y", "ýÿŷỳỵỷỹ"), ("z", "źżž"), ("α", "ά"), ("ε", "έ"), ("η", "ή"),
        ("ι", "ίϊΐ"), ("ο", "ό"), ("υ", "ύϋΰ"), ("ω", "ώ"), ("σ", "ς"), ("е", "ё"), ("и", "й"),
    ]
}
