// The C library's wcwidth depends on the locale, isn't imported into Swift, and counts LANG=C as one column per byte.
// The rules below agree with wcwidth for each scalar (glibc 2.36 in C.UTF-8, except variation selectors after emoji).
// They count a joined emoji as one picture.

extension Character {
    var columns: Int {
        let scalars = unicodeScalars
        guard let first = scalars.first else {
            return 0
        }
        // Most characters are a single scalar.
        guard scalars.count > 1 else {
            return first.columns
        }
        if first.isPictograph, scalars.contains(where: { $0.properties.isEmojiModifier || $0.makesPicture }) {
            return 2
        }
        return scalars.reduce(0) { $0 + $1.columns }
    }
}

extension Unicode.Scalar {
    /// True if this scalar joins emoji, or selects the colored form of an emoji.
    fileprivate var makesPicture: Bool { self == "\u{200D}" || self == "\u{FE0F}" }

    fileprivate var columns: Int {
        switch value {
        case 0x20...0x7E, 0xA0...0x2FF: 1
        case 0...0x9F: 0
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: 0  // vowels and finals of Hangul, drawn into the syllable before them
        case 0x1F1E6...0x1F1FF: 1  // half a flag
        default: columnsBeyondLatin
        }
    }

    private var columnsBeyondLatin: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case .format where properties.isDefaultIgnorableCodePoint: return 0
        default: return isWide || properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// The East Asian wide and fullwidth blocks; wide emoji have their own property.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x3029, 0x302E...0x303E, 0x3041...0x3096, 0x309B...0xA4C6,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x16FE3, 0x16FF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default:
            false
        }
    }
}
