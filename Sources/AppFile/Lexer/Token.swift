/// A token of SQL; it has only the kinds that the app language distinguishes.
package struct Token: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// An unquoted name or keyword.
        case word
        /// A name in double quotes.
        case quotedName
        case string
        /// A whole number, or a part of another number: `1.5` is two numbers and a symbol.
        case number
        /// A parameter of the app file: `:name`.
        case parameter
        /// A column that this database lacks, with the SQL that replaces it.
        case absent(String)
        /// `$1`, which an app file can't contain.
        case positional
        case lineComment
        case blockComment
        case semicolon
        /// Any other character: an operator, a comma, a bracket, or `::`.
        case symbol
    }

    package let kind: Kind
    package let range: Range<Int>

    package var isComment: Bool { kind == .lineComment || kind == .blockComment }
}
