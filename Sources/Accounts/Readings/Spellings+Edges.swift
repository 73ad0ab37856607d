/// Where an address begins and ends in a text, as patterns.
///
/// What stands beside an address ends it, or is more of a longer one, which is somebody else's. An escape is what it stands
/// for: `%2B` is a plus, which addresses hold, and `%3D` is none of their letters.
extension Spellings {
    // MARK: What escapes stand for

    /// What comes before the two digits of a byte, however often the text was sent on.
    private static let byte = "(?:%(?:25)*|\\\\x)"
    /// The digits of plain characters that no address holds; quotes are told apart.
    private static let separator = "(?:[01][0-9a-f]|2[0-4689acf]|3[a-f]|40|5[b-e]|60|7[b-f])"
    /// The digits of blocks that hold signs alone: of Latin letters, of all of writing, of Chinese.
    private static let signs = "(?:00[89ab][0-9a-f]|20[0-6][0-9a-f]|30[0-3][0-9a-f])"
    /// The same as bytes.
    private static let sentSigns =
        "(?:\(byte)c2\(byte)[89ab][0-9a-f]|\(byte)e2\(byte)8[01]\(byte)[0-9a-f]{2}|\(byte)e3\(byte)80\(byte)[0-9a-f]{2})"
    /// As HTML has all of them.
    private static let entity = "&(?:amp;)*#0*"
    private static let entitySigns =
        "(?:[0-9]|[12][0-9]|3[0-6]|38|4[0-247]|5[89]|6[0-4]|9[1-46]|12[3-9]|1[3-8][0-9]|19[01]"
        + "|8(?:19[2-9]|2[0-9]{2}|30[0-3])|122(?:8[89]|9[0-9])|123(?:[0-4][0-9]|5[01])"
        + "|x0*(?:[0-9a-f]|\(separator)|[89ab][0-9a-f]|20[0-6][0-9a-f]|30[0-3][0-9a-f]))"
    /// An escape of what no address holds.
    private static let separators =
        "\\\\(?:[nrtbf]|u00\(separator)|u\(signs)|0[0-3][0-7]|04[0-46]|05[0-247]|07[2-7]|100|13[3-6]|140|17[3-7])"
        + "|\(byte)\(separator)|\(sentSigns)|\(entity)\(entitySigns);"
    private static let apostrophe =
        "(?:\\\\*'|\\\\+(?:u00|x)27|\\\\047|%(?:25)*27|\(entity)(?:39|x0*27);|&(?:amp;)*apos;)"
    /// A plain character, by its digits.
    private static func written(_ hexadecimal: String, _ decimal: String) -> String {
        "%(?:25)*\(hexadecimal)|\\\\+(?:u00|x)\(hexadecimal)|\(entity)(?:\(decimal)|x0*\(hexadecimal));"
    }
    /// A letter that is none of the plain ones.
    private static let foreign =
        "%(?:25)*(?!c2|e2%(?:25)*8[01]|e3%(?:25)*80)[c-f][0-9a-f]|\\\\+u(?!00[0-7]|\(signs))[0-9a-f]{4}"

    // MARK: Where it begins

    /// Behind what no address holds.
    ///
    /// An apostrophe is part of a name behind a letter, and else a quote.
    private static func starts(besides others: String) -> String {
        "(?<=^|[^[:alnum:]._%+';\(others)-]|\(separators))|(?<=;)(?<!&(?:amp;)*(?:#x?[0-9a-f]+|apos);)"
            + "|(?<=(?:^|[^[:alnum:]'\\\\]|\(separators))\(apostrophe)+)"
    }

    /// A stroke on both sides sets off what stands between.
    private static let stressed =
        "(?<=(?:^|[^[:alnum:]._+'-])_+)(?=[^[:space:]@]+@[[:alnum:].-]+_+(?![[:alnum:]_]))"

    /// Ann is not in Joann; what a mark of deletion, a word or a date, ends with is no letter of hers either.
    var begins: String {
        "\(Self.starts(besides: ""))|\(Self.stressed)|(?<=(?:\(speech.gone.isEmpty ? "" : speech.gone + "|")[0-9]{6})[._+-])"
    }

    /// A longer address up to the one that it ends like, and behind what may be a mark.
    static var longerBegins: String {
        let letter =
            "\(byte)(?!\(separator)|27)[0-9a-f]{2}|\\\\+u(?!00(?:\(separator)|27)|\(signs))[0-9a-f]{4}"
            + "|\(entity)(?!\(entitySigns);|39;|x0*27;)x?[0-9a-f]+;"
        return "(?:\(starts(besides: "\\\\")))((?:[[:alnum:]._+-]|\(letter)|(?<=[[:alnum:]])\(apostrophe))*"
            + "(?:[_+-]|\(letter)|[[:alnum:]]\(apostrophe))"
    }

    // MARK: Where it ends

    /// Nor is she Ann of a longer domain.
    static let ends: String = {
        let (letter, digit) = (("[46][1-9a-f]|[57][0-9a]"), "3[0-9]")
        let decimal = "6[5-9]|[78][0-9]|90|9[7-9]|1[01][0-9]|12[0-2]"
        let alpha = "(?:[[:alpha:]]|\(written("(?:\(letter))", decimal))|\(foreign))"
        let number = "(?:[0-9]|\(written(digit, "4[89]|5[0-7]"))|[[:alnum:]])"
        let (dot, dash) = ("(?:[.]|\(written("2e", "46")))", "(?:-|\(written("2d", "45")))")
        return "(?!\(alpha)|\(number)|\(dot)\(alpha)|\(dash)(?:\(alpha)|\(number)|\(dash))*\(dot)\(alpha))"
    }()
}
