import Foundation
import PQ
import Support
import Testing

/// A slow command shows a status line on a terminal, and removes the line at its end.
@Suite struct ProgressTests {
    private static let app = """
        -- @app many  Many
        -- @requires public.people
        -- @users
        -- @key id
        -- @email address
        select p.id, p.address, p.seen from public.people p;
        -- @select due  Not seen yet.
        not seen;
        -- @decision face  Is the face known?
        -- @rule known  It is.
        seen;
        -- @rule new  It is not.
        true;
        -- @action person see  See somebody.
        -- @select due
        -- @role engineer
        -- @expect face known
        -- @do
        update public.people set seen = true where id = any(:users);

        """

    private struct Place {
        let database: TestDatabase
        let scratch: Scratch
        let file: String

        func usher(_ words: [String]) throws -> TerminalSession {
            try Usher.console(["--app", file] + words, on: database.conninfo())
        }
    }

    /// A database with 6,000 users, so that a change of all users needs several batches.
    private func place() throws -> Place {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table people (id text primary key, address text, seen boolean not null default false)",
            "insert into people select 'p' || n, 'p' || n || '@example.com' from generate_series(1, 6000) n")
        let scratch = try Scratch()
        let place = Place(
            database: database, scratch: scratch, file: try scratch.path(of: "many.sql", holding: Self.app))
        let installed = try Usher.run(
            ["--app", place.file, "install", "--environment", "test", "-y", "-q"], on: database.conninfo())
        #expect(installed.status == 0, "\(installed.errors)")
        return place
    }

    /// The screen; each status line on it must have been erased.
    private func picture(_ terminal: TerminalSession, passing: String) -> String {
        let picture = String(decoding: terminal.picture, as: UTF8.self)
        let pieces = picture.components(separatedBy: passing).dropFirst()
        #expect(!pieces.isEmpty, "\(picture)")
        for piece in pieces {
            let line = piece.prefix { $0 != "\n" && $0 != "\r\n" }
            #expect(line.contains("\r\u{1B}[K"), "\(picture)")
        }
        return picture
    }

    @Test(.long) func bulkChangeAndItsUndoShowProgress() throws {
        let place = try place()
        let change = try place.usher(["person", "see", "--due", "--confirm", "6000"])
        try change.wait(for: " of 6000  ")
        try change.wait(for: "/s  ")
        try change.wait(for: "6000 of 6000  ")
        #expect(try change.end() == 0)
        let done = picture(change, passing: " of 6000  ")
        let operation = try #require(done.firstMatch(of: /operation ([0-9a-f-]{36})/)?.1)
        let undo = try place.usher(["audit", "undo", String(operation), "--confirm", "6000"])
        try undo.wait(for: " of 6000  ")
        try undo.wait(for: "6000 of 6000  ")
        #expect(try undo.end() == 0)
        let undone = picture(undo, passing: " of 6000  ")
        // The preview of the undo counts the same number of users as the change.
        #expect(undone.contains("  person see --due  6000 users  "), "\(undone)")
        #expect(undone.contains("@example.com and 95 more"), "\(undone)")
        #expect(try place.database.connect().execute("select 1 from people where seen").rows.isEmpty)
        let quiet = try place.usher(["person", "see", "--due", "--confirm", "6000", "--no-progress"])
        #expect(try quiet.end() == 0)
        #expect(!String(decoding: quiet.picture, as: UTF8.self).contains(" of 6000  "))
    }

    /// Statistics are one query without progress, so the status line shows the time.
    @Test func statsShowsAStatusLineWhileItWaitsForTheServer() throws {
        let place = try place()
        let other = try place.database.connect()
        _ = try other.execute("begin")
        _ = try other.execute("lock table people")
        let stats = try place.usher(["stats"])
        try stats.wait(for: "waiting for the server, 1 s")
        try stats.wait(for: "waiting for the server, 2 s")
        _ = try other.execute("commit")
        try stats.wait(for: "6,000 users")
        #expect(try stats.end() == 0)
        _ = picture(stats, passing: "waiting for the server, ")
    }
}
