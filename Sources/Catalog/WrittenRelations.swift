package import PQ

/// A relation as a statement writes it: alone, or with the rows of the tables that inherit from it.
package struct WrittenRelation: Sendable, Hashable {
    package let schema: String
    package let name: String
    package let reachesHeirs: Bool

    /// A relation by its name.
    package init(schema: String, name: String, reachesHeirs: Bool) {
        self.schema = schema
        self.name = name
        self.reachesHeirs = reachesHeirs
    }

    /// The name with its schema.
    package var qualifiedName: String { "\(schema).\(name)" }
}

/// What it comes to on this server to write some relations.
package struct WrittenRelations: Sendable {
    /// Why what is written cannot be accounted for, and which relation it lies in.
    package enum Obstacle: Sendable, Hashable {
        /// Another server holds the rows, and says of old values what the new ones are.
        case foreign(String)
        /// Many servers hold the rows, and each counts its own.
        case distributed(String)
        /// It is the record of what was done.
        case ledger(String)
    }

    private struct Reach: Sendable {
        let isView: Bool
        /// Whether a rule or a trigger takes the place of the statement.
        let isDiverted: Bool
        let tables: Set<String>
        let obstacle: Obstacle?
    }

    private var reaches: [WrittenRelation: Reach] = [:]

    /// The question about relations, to be sent with others.
    package static func query(of relations: [WrittenRelation]) -> Query {
        Query(
            file: "catalog/written_relations.sql",
            [
                arrayLiteral(relations.map(\.schema)), arrayLiteral(relations.map(\.name)),
                arrayLiteral(relations.map { $0.reachesHeirs ? "t" : "f" }),
            ])
    }

    /// Reads the answer; a relation that is not there has none.
    package init(_ rows: Rows) throws(DecodingFailure) {
        for row in rows.rows {
            let relation = WrittenRelation(
                schema: try row.text("schema"), name: try row.text("name"), reachesHeirs: try row.boolean("heirs"))
            reaches[relation] = Reach(
                isView: try row.boolean("is_view"), isDiverted: try row.boolean("is_diverted"),
                tables: Set(arrayElements(try row.text("tables")).compactMap { $0 }), obstacle: try Obstacle(row))
        }
    }

    /// Whether it is a view, whose rows have no versions.
    package func isView(_ relation: WrittenRelation) -> Bool { reaches[relation]?.isView ?? false }

    /// Why writing it cannot be accounted for, nil when it can.
    package func obstacle(to relation: WrittenRelation) -> Obstacle? { reaches[relation]?.obstacle }

    /// The tables, by object identifier, where rows come to lie that a statement says it wrote; nil where it may say so of
    /// rows that it never wrote, since a rule or a trigger takes its place.
    package func tables(of relation: WrittenRelation) -> Set<String>? {
        guard let reach = reaches[relation], !reach.isDiverted else { return nil }
        return reach.tables
    }
}

extension WrittenRelations.Obstacle {
    fileprivate init?(_ row: Row) throws(DecodingFailure) {
        guard let kind = try row.optionalText("obstacle") else { return nil }
        let place = try row.text("place")
        switch kind {
        case "foreign": self = .foreign(place)
        case "distributed": self = .distributed(place)
        case "ledger": self = .ledger(place)
        default: throw .notA("kind of obstacle", column: "obstacle")
        }
    }
}
