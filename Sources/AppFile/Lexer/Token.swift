/// A token of SQL, with only the kinds that the app language distinguishes.
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
        /// A column that doesn't exist in this database, and the SQL that replaces it.
        case absent(String)
        /// `$1`, which app files don't use.
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
