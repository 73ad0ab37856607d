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

    /// The name without blanks, angle brackets, `mailto:`, and the comma behind an address in a list.
    static func plain(_ text: String) -> String {
        var name = text.trimmed
        if name.contains("@"), let last = name.last, ",;".contains(last) { name = name.dropLast().trimmed }
        if let open = name.lastIndex(of: "<"), name.last == ">" {
            name = name[name.index(after: open)...].dropLast().trimmed
        }
        let scheme = "mailto:"
        guard name.lowercased().hasPrefix(scheme) else { return name }
        return String(name.dropFirst(scheme.count).prefix { $0 != "?" })
    }
}
