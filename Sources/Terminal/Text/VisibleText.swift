/// Copies untrusted text and makes every hidden character visible.
struct VisibleText {
    /// The largest number of combining marks on one base character; more marks would draw over other lines.
    private static let highestStack = 8
    private static let joiner: Unicode.Scalar = "\u{200D}"

    private var result = ""
    private let keepsLines: Bool
    private let keepsTabs: Bool
    private var hasBase = false
    private var marks = 0
    private var followsPictograph = false

    static func of(_ untrusted: some StringProtocol, keepingLines: Bool, keepingTabs: Bool = false) -> String {
        // Most texts contain no hidden character, even whole help pages.
        guard !untrusted.utf8.allSatisfy({ (0x20...0x7E).contains($0) || keepingLines && $0 == 0x0A }) else {
            return String(untrusted)
        }
        var copy = VisibleText(keepsLines: keepingLines, keepsTabs: keepingTabs)
        let scalars = Array(untrusted.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            copy.append(scalar, next: index + 1 < scalars.count ? scalars[index + 1] : nil)
        }
        return copy.result
    }

    private mutating func append(_ scalar: Unicode.Scalar, next: Unicode.Scalar?) {
        switch scalar {
        case "\n" where keepsLines:
            result += "\n"
            hasBase = false
        case "\r" where keepsLines && next == "\n":
            break
        case "\t" where keepsTabs:
            appendBase("\t")
        case "\t" where keepsLines:
            appendBase("    ")
        case "\n":
            appendBase("\\n")
        case "\t":
            appendBase("\\t")
        case Self.joiner where followsPictograph && next?.isPictograph == true:
            result.unicodeScalars.append(scalar)
        case _ where scalar.isHidden:
            appendBase(scalar.escaped)
        case _ where scalar.properties.isGraphemeExtend:
            appendMark(scalar)
        default:
            let tintsPictograph = followsPictograph && scalar.properties.isEmojiModifier
            appendBase(String(Character(scalar)))
            followsPictograph = scalar.isPictograph || tintsPictograph
        }
    }

    private mutating func appendBase(_ text: String) {
        result += text
        hasBase = true
        marks = 0
        followsPictograph = false
    }

    /// Adds a combining mark, escaped if there is no base character; else the mark would change the earlier text.
    private mutating func appendMark(_ mark: Unicode.Scalar) {
        marks += 1
        if hasBase, marks <= Self.highestStack {
            result.unicodeScalars.append(mark)
        } else {
            result += mark.escaped
            hasBase = true
        }
    }
}
