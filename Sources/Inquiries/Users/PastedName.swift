internal import PQ

/// Cleans a name that was copied from an email, a table or a link.
enum PastedName {
    /// The possible names, the most likely first: the text without surrounding characters, and the text unchanged.
    static func readings(of text: String) -> [String] {
        let plain = plain(text)
        // A key can contain surrounding blanks, but an email can't.
        if plain == text || plain.isEmpty { return [text] }
        return plain.contains("@") ? [plain] : [text, plain]
    }

    /// The name without surrounding blanks, invisible characters and quotes.
    ///
    /// An email also loses brackets, `mailto:` and punctuation.
    static func plain(_ text: String) -> String {
        var name = bare(text, isAddress: false)
        guard name.contains("@") else { return name }
        // A display name can precede an email in angle brackets.
        if let open = name.lastIndex(of: "<"), let end = name.lastIndex(of: ">"), open < end {
            name = String(name[name.index(after: open)..<end])
        }
        name = bare(name, isAddress: true)
        let scheme = "mailto:"
        guard name.lowercased().hasPrefix(scheme) else { return name }
        return bare(String(name.dropFirst(scheme.count).prefix { $0 != "?" }), isAddress: true)
    }

    /// The emails, ids and numbers inside a longer pasted text.
    static func names(in pasted: String) -> [String] {
        let text = pasted.replacing(#/[ (\[]+dot[ )\]]+/#.ignoresCase(), with: ".")
            .replacing(#/[ (\[]+at[ )\]]+(?=[^ @]+\.)/#.ignoresCase(), with: "@")
        // The groups of digits in a phone number are not separate numbers.
        let words = text.replacing(phone, with: " ")
            .split { $0.isWhitespace || "<>()[]{},;|\"".contains($0) }.map { plain(String($0)).trimmingMarks }
        // A link can contain a name in its path or query.
        let parts = words.flatMap { $0.replacing("%40", with: "@").split { "/?&=#".contains($0) }.map(String.init) }
        let marked = (words + parts).filter { word in
            word.contains("@") || word.allSatisfy(\.isNumber)
                || word.count > 3 && word.contains { $0.isNumber || $0 == "_" }
        }
        // People write a phone number in groups, but apps store only the digits, with or without the plus sign.
        let phones = text.split { !isOfPhone($0) }.compactMap { phoneDigits(String($0)) }
        var names: [String] = []
        for name in marked + phones.flatMap({ [$0, "+" + $0] })
        where !name.isEmpty && name != pasted && !names.contains(name) && names.count < mostNames { names.append(name) }
        return names
    }

    /// The digits of a phone number without leading zeros; nil for any other text.
    static func phoneDigits(_ text: String) -> String? {
        guard text.allSatisfy(isOfPhone) else { return nil }
        let digits = text.filter { "0"..."9" ~= $0 }.drop { $0 == "0" }
        return (7...15).contains(digits.count) ? String(digits) : nil
    }

    private static func isOfPhone(_ character: Character) -> Bool {
        "0"..."9" ~= character || " +-./()\u{A0}".contains(character)
    }

    /// A phone number in groups that begins with a plus sign or a zero.
    private static var phone: some RegexComponent { #/(?:\+|\b0)[\d.\/\-]*[ ()][\d ().\/\-]{3,}\d/# }

    private static let mostNames = 8

    private static func bare(_ text: String, isAddress: Bool) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isAround($0, isAddress) }),
            let last = scalars.lastIndex(where: { !isAround($0, isAddress) })
        else { return isAddress ? text : text.trimmed }
        return String(scalars[first...last])
    }

    /// True if usher removes the character from the beginning and end of a name.
    private static func isAround(_ scalar: Unicode.Scalar, _ isAddress: Bool) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .initialPunctuation,
            .finalPunctuation:
            true
        case .openPunctuation, .closePunctuation: isAddress
        default: scalar == "\"" || isAddress && "<>,;:.'`".unicodeScalars.contains(scalar)
        }
    }
}

extension String {
    fileprivate var trimmingMarks: String {
        let isMark = { (character: Character) in ".:!?#*'".contains(character) }
        return String(drop(while: isMark).reversed().drop(while: isMark).reversed())
    }
}
