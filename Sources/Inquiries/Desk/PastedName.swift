internal import PQ

/// A name as it was pasted, out of a mail, a table or a link.
enum PastedName {
    /// The ways to read it, the likeliest first: without what stood around it, and as it is.
    static func readings(of text: String) -> [String] {
        let plain = plain(text)
        // Blanks may belong to a key; around an address they never do.
        if plain == text || plain.isEmpty { return [text] }
        return plain.contains("@") ? [plain] : [text, plain]
    }

    /// The name without what stands around it: blanks, what nobody sees, and quotes; and where it is an address also brackets,
    /// `mailto:`, and the marks of a sentence or a list.
    static func plain(_ text: String) -> String {
        var name = bare(text, isAddress: false)
        guard name.contains("@") else { return name }
        // A name may stand before an address in angle brackets.
        if let open = name.lastIndex(of: "<"), let end = name.lastIndex(of: ">"), open < end {
            name = String(name[name.index(after: open)..<end])
        }
        name = bare(name, isAddress: true)
        let scheme = "mailto:"
        guard name.lowercased().hasPrefix(scheme) else { return name }
        return bare(String(name.dropFirst(scheme.count).prefix { $0 != "?" }), isAddress: true)
    }

    private static func bare(_ text: String, isAddress: Bool) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isAround($0, isAddress) }),
            let last = scalars.lastIndex(where: { !isAround($0, isAddress) })
        else { return isAddress ? text : text.trimmed }
        return String(scalars[first...last])
    }

    /// Whether a character only stands around a name.
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
