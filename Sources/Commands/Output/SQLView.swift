import AppFile
import Terminal

/// A statement of an app file and its values, for `--show-sql`.
enum SQLView {
    static func lines(of query: ComposedQuery) -> SafeText {
        var text = SafeText(multiline: query.sql).dim
        for (index, value) in query.values.enumerated() {
            let shown = value.map {
                "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
            }
            text += ("\n-- $\(index + 1) = " + SafeText(shown ?? "NULL")).dim
        }
        return text
    }

    static func json(of query: ComposedQuery) -> SafeText {
        SafeText(json: JSON([("sql", .string(query.sql)), ("values", .array(query.values.map { JSON($0) }))]))
    }
}
