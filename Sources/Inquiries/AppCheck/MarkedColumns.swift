internal import Asking
internal import Catalog
package import PQ

/// What stands against a mark in the place of what columns say, by their places in a list: where somebody is made unknown, the
/// row has to be one still that the database takes.
package struct MarkedColumns {
    package enum Obstacle: Sendable, Hashable {
        /// A unique index takes one mark, and no second.
        case once
        /// Another one takes no second where rows are alike in what else it is about.
        case together(index: String)
        /// The mark is nothing that this takes: a check, or a length.
        case refused(by: String)
    }

    /// What stands where somebody was named.
    package static let mark = "***"

    package private(set) var obstacles: [Int: [Obstacle]] = [:]
    /// The checks of which the mark alone tells whether they take it.
    private var untried: [(place: Int, check: String, test: [String])] = []

    /// Asks about columns, `schema.table.column` each.
    package static func query(of columns: [String]) -> Query {
        Query(file: "catalog/marked_columns.sql", [arrayLiteral(columns), mark])
    }

    package init(_ rows: Rows) throws(DecodingFailure) {
        for row in rows.rows {
            let (place, name) = (try row.integer("place") - 1, try row.text("name"))
            switch try row.text("what") {
            case "once": obstacles[place, default: []].append(.once)
            case "together": obstacles[place, default: []].append(.together(index: name))
            case "check": obstacles[place, default: []].append(.refused(by: name))
            default:
                guard try row.boolean("may_try") else { continue }
                let test = [try row.text("expression"), try row.text("type"), try row.text("argument")]
                untried.append((place, name, test))
            }
        }
    }

    /// What tries those checks, one behind the other in one transaction; the last answers.
    package var steps: [Query] {
        if untried.isEmpty { return [] }
        let parts = (0..<3).map { part in arrayLiteral(untried.map { $0.test[part] }) }
        return [
            """
            select set_config('usher.marks', jsonb_agg(jsonb_build_object(
                       'expression', t.expression, 'type', t.type, 'argument', t.argument, 'mark', \(Self.mark)::text) order by t.place)::text, true)
              from rows from (unnest(\(parts[0])::text[]), unnest(\(parts[1])::text[]), unnest(\(parts[2])::text[]))
                   with ordinality as t (expression, type, argument, place)
            """,
            Query(file: "catalog/tried_marks.sql"),
            """
            select a.value::boolean as passes
              from jsonb_array_elements(current_setting('usher.marks')::jsonb) with ordinality as a (value, place) order by a.place
            """,
        ]
    }

    /// Takes what those came to.
    package mutating func take(_ answers: [Rows]) throws(DecodingFailure) {
        for (test, row) in zip(untried, answers.last?.rows ?? []) where try !row.boolean("passes") {
            obstacles[test.place, default: []].append(.refused(by: test.check))
        }
        untried = []
    }
}
