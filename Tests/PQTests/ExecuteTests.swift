import PQ
import Support
import Testing

@Suite struct ExecuteTests {
    @Test func nullIsNotTheEmptyString() throws {
        let connection = try TestCluster.emptyDatabase().connect()
        let row = try #require(try connection.execute("select null::text as a, '' as b").first)
        #expect(row["a"]?.isNull == true)
        #expect(row["b"]?.text == "")
    }
}
