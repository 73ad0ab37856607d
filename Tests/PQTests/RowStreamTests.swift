import Foundation
import PQ
import Support
import Testing

@Suite struct RowStreamTests {
    private let database: TestDatabase
    private let connection: Connection

    private struct Enough: Error {}

    init() throws {
        database = try TestCluster.emptyDatabase()
        connection = try database.connect()
    }

    @Test func streamKeepsTheOrderOfRows() throws {
        var numbers: [String?] = []
        var sizes: [Int?] = []
        try connection.stream("select n, null as nothing, '' as empty from generate_series(1, 3) n") { row in
            numbers.append(row.copy().shown("n")?.text)
            sizes = [size(of: row, 1), size(of: row, 2), size(of: row, 9)]
        }
        #expect(numbers == ["1", "2", "3"])
        #expect(sizes == [nil, 0, nil])
        try expectUsable(connection)
    }

    @Test func streamOfAnEmptyResultDoesNotReturnRows() throws {
        try connection.stream("select 1 where false") { _ in Issue.record("there is a row") }
        try connection.stream("set local work_mem = '4MB'") { _ in Issue.record("there is a row") }
        try connection.stream("") { _ in Issue.record("there is a row") }
        try expectUsable(connection)
    }

    /// Runs in a separate process, because other tests allocate memory in this process.
    @Test func streamMemoryStaysConstant() async throws {
        await #expect(processExitsWith: .success) { [text = database.conninfo() as String] in
            let connection = try Connection(try Conninfo(text))
            func stream(_ count: Int) throws -> Int {
                var rows = 0
                try connection.stream(
                    "select n, repeat('x', 200) as text from generate_series(1, \("\(count)")::int) n"
                ) { row in
                    rows += 1
                    if size(of: row, 1) != 200 { Issue.record("row \(rows) is cut off") }
                }
                return rows
            }
            #expect(try stream(1000) == 1000)
            let before = try residentBytes()
            #expect(try stream(300_000) == 300_000)
            #expect(try residentBytes() - before < 8_000_000)
        }
    }

    @Test func receiverOfAStreamCanEndTheStatement() throws {
        var rows = 0
        let error = #expect(throws: StreamError<Enough>.self) {
            try connection.stream("select generate_series(1, 100000000) as n") { _ throws(Enough) in
                rows += 1
                if rows == 10 { throw Enough() }
            }
        }
        guard case .receiver? = error else {
            Issue.record("\(String(describing: error)) is not the receiver's error")
            return
        }
        #expect(rows == 10)
        try expectUsable(connection)
    }

    @Test func streamThrowsAServerErrorInTheMiddle() throws {
        var rows = 0
        let error = #expect(throws: StreamError<Never>.self) {
            try connection.stream("select 1/(1000 - n) from generate_series(1, 100000) n") { _ in rows += 1 }
        }
        guard case .server(.server(let refusal))? = error else {
            Issue.record("\(String(describing: error)) is not the server's error")
            return
        }
        #expect(refusal.state == SQLState(rawValue: "22012"))
        #expect(rows == 999)
        try expectUsable(connection)
    }

    @Test func interruptEndsAStream() throws {
        let cancellation = Cancellation()
        let connection = try database.connect(cancellation: cancellation)
        var rows = 0
        var rowsAtRequest = 0
        let error = #expect(throws: StreamError<Never>.self) {
            try connection.stream("select generate_series(1, 100000000) as n") { _ in
                rows += 1
                if rows == 1000 {
                    cancellation.request()
                    rowsAtRequest = rows
                }
            }
        }
        guard case .server(.interrupted)? = error else {
            Issue.record("\(String(describing: error)) is no interruption")
            return
        }
        // Rows that libpq has already read may still arrive.
        #expect(rows - rowsAtRequest < 10_000)
        try expectUsable(connection)
    }

    /// Rows that keep arriving must not delay the time-out.
    @Test func deadlineEndsAStream() throws {
        let error = #expect(throws: StreamError<Never>.self) {
            try connection.stream("select generate_series(1, 100000000) as n", timeout: 0.2) { _ in }
        }
        guard case .server(.timedOut(seconds: 0.2))? = error else {
            Issue.record("\(String(describing: error)) is no time-out")
            return
        }
        try expectUsable(connection)
    }
}

private func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(Int(text.split(separator: " ")[1])) * sysconf(Int32(_SC_PAGESIZE))
}

/// The bytes of a cell, or nil for NULL.
private func size(of row: borrowing RowView, _ index: Int) -> Int? {
    var size: Int?
    unsafe row.withBytes(index) { bytes in size = unsafe bytes?.count }
    return size
}
