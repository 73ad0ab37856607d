extension Unicode.Scalar {
    /// True if a screen would act on this character, or draw nothing for it, instead of showing it.
    ///
    /// Everything that is hidden here is escaped in `SafeText` and in JSON alike, so that JSON may reach a terminal.
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
            // Noncharacters, and whatever a newer terminal may know and this table of widths does not.
            true
        case .format:
            !isNumberSign
        default:
            // Fillers and joiners that draw nothing. Variation selectors only choose between glyphs.
            properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// Format characters of Arabic, Syriac and Kaithi that do have a glyph.
    private var isNumberSign: Bool {
        switch value {
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
        default: false
        }
    }

    /// True if this is a pictograph that a zero-width joiner may connect to another one.
    var isPictograph: Bool {
        value > 0x7F && properties.isEmoji && !properties.isEmojiModifier
    }
}
