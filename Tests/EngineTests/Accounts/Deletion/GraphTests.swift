import Catalog
import PQ
import Support
import Testing

/// usher reads a graph of tables from the catalog.
@Suite struct GraphTests {
    private func graph(of database: TestDatabase) throws -> Graph {
        let connection = try database.connect()
        let answers = try Graph.queries.map { query in try connection.execute(query) }
        return try Graph(tables: answers[0], references: answers[1])
    }

    @Test func tableGraphContainsPartitionsOnOtherServers() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create foreign data wrapper nowhere", "create server far foreign data wrapper nowhere",
            "create table events (id int, year int) partition by list (year)",
            "create table events_old partition of events for values in (1, 2) partition by list (id)",
            "create foreign table events_far partition of events_old for values in (7) server far",
            "create table events_new partition of events for values in (3)",
            "create table notes (id int) partition by list (id)",
            "create table notes_1 partition of notes for values in (1)",
            "create table places (id int)", "create foreign table places_far () inherits (places) server far")
        let tables = try graph(of: database).tables.values.sorted { $0.name < $1.name }
        #expect(tables.filter(\.hasForeignParts).map(\.name) == ["events", "events_old"])
        // If a table is not partitioned, usher reads `only` the rows of the table itself, not the rows of its child
        // tables.
        #expect(
            tables.filter(\.asksElsewhere).map(\.name) == ["events", "events_far", "events_old", "places_far"])
    }

    @Test(.enabled(if: TestCluster.isAtLeast(15))) func tableGraphKeepsTheColumnOrderOfForeignKeys() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create domain number as int not null", "create domain numbered as number",
            "create table places (a int, b text, c uuid, primary key (c, a, b))",
            """
            create table visits (x numbered, y text not null, z uuid, g int generated always as (x) stored,
                                 foreign key (y, z, x) references places (b, c, a) on delete set null (z))
            """,
            "create table pairs (a int, b int, primary key (a, b))",
            "create table twins (a int, foreign key (a, a) references pairs (b, a))")
        let graph = try graph(of: database)
        let visits = try #require(graph.references.first { $0.name.hasPrefix("visits") })
        #expect(visits.columns.map { "\($0.name) \($0.type)" } == ["y text", "z uuid", "x integer"])
        #expect(visits.columns.map { "\($0.referenced) \($0.referencedType)" } == ["b text", "c uuid", "a integer"])
        #expect(visits.columns.map(\.isRequired) == [true, false, true])
        #expect(visits.columns.map(\.isFillable) == [false, true, false])
        #expect(visits.setColumns == ["z"])
        let twins = try #require(graph.references.first { $0.name.hasPrefix("twins") })
        #expect(twins.columns.map(\.name) == ["a", "a"] && twins.columns.map(\.referenced) == ["b", "a"])
        #expect(graph.table("public.places")?.key.map(\.name) == ["c", "a", "b"])
    }
}
