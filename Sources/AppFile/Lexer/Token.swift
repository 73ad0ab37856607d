/// A piece of SQL, as far as the app language has to tell pieces apart.
package struct Token: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// An unquoted name or keyword.
        case word
        /// A name in double quotes.
        case quotedName
        case string
        case number
        /// `:name`
        case parameter
        /// A column that does not exist here, and the SQL that stands for it.
        case absent(String)
        /// `$1`, which app files do not use.
        case positional
        case lineComment
        case blockComment
        case semicolon
        /// Any other character: operators, commas, brackets, `::`.
        case symbol
    }

    package let kind: Kind
    package let range: Range<Int>

    package var isComment: Bool { kind == .lineComment || kind == .blockComment }
}
