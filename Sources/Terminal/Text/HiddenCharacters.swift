extension Unicode.Scalar {
    /// True if a screen would act on this character, or draw nothing for it.
    ///
    /// `SafeText` and JSON escape the same characters, so that JSON can be printed on a terminal.
    package var isHidden: Bool {
        switch value {
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x2FF: false
        case 0...0x9F: true
        default: isHiddenBeyondLatin
        }
    }

    /// The character as text in the notation of Swift literals, `\u{1B}`.
    package var escaped: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "\\u{" + (digits.count < 2 ? "0" : "") + digits + "}"
    }

    private var isHiddenBeyondLatin: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate:
            true
        case .unassigned:
            // Noncharacters, and characters of later versions of Unicode.
            true
        case .format:
            !isNumberSign
        default:
            // Fillers and joiners draw nothing. Variation selectors are not hidden, because they only select a glyph.
            properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// Format characters of Arabic, Syriac and Kaithi that have a glyph.
    private var isNumberSign: Bool {
        switch value {
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
        default: false
        }
    }

    /// True for a pictograph that a zero-width joiner may connect to another pictograph.
    var isPictograph: Bool {
        value > 0x7F && properties.isEmoji && !properties.isEmojiModifier
    }
}
