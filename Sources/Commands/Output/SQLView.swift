import AppFile
import Terminal

/// A statement of an app file and its values, for `--show-sql`.
enum SQLView {
    static func lines(of query: ComposedQuery) -> SafeText {
        var text = SafeText(multiline: query.sql).dim
        for (index, value) in query.values.enumerated() {
            let shown = value.map { value in
                "'" + value.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
            }
            let isSecret = query.secrets.contains(index)
            text += ("\n-- $\(index + 1) = " + (isSecret ? "(secret)" : SafeText(shown ?? "NULL"))).dim
        }
        return text
    }

    static func json(of query: ComposedQuery) -> SafeText {
        let values = query.values.enumerated().map { query.secrets.contains($0) ? "(secret)" : $1 }
        return SafeText(json: JSON([("sql", query.sql), ("values", values)]))
    }
}
