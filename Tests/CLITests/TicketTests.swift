import EmbeddedSQL
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// What people write to support, and what is typed and seen until they can be answered.
///
/// The files in `Golden` hold each ticket as a transcript at two widths; `USHER_GOLDEN=write swift test --filter
/// TicketTests` writes them anew.
@Suite struct TicketTests {
    struct Ticket: Sendable, CustomTestStringConvertible {
        let name: String
        let asks: String
        let app: String
        let commands: [String]

        var testDescription: String { name }
    }

    static let tickets = [
        Ticket(
            name: "cancelled", asks: "I cancelled, what now?", app: "impulse",
            commands: ["user find barbara", "user show barbara@example.com"]),
        Ticket(
            name: "paid", asks: "I have paid and still see the paywall.", app: "impulse",
            commands: ["user show niklaus@example.com"]),
        Ticket(
            name: "paid-apple", asks: "I have paid and still see the paywall.", app: "xtablo",
            commands: ["user show linus@example.com"]),
        Ticket(
            name: "charged-twice", asks: "I was charged twice.", app: "xtablo",
            commands: ["user show annie@example.com"]),
        Ticket(
            name: "colleague-pays", asks: "A colleague pays, and I am to pay too.", app: "xtablo",
            commands: ["user show katherine@example.com"]),
        Ticket(
            name: "trial-ended", asks: "My trial ended too early.", app: "impulse",
            commands: ["user show ada@example.com", "user timeline ada@example.com --limit 6"]),
        Ticket(
            name: "unlock-code", asks: "My unlock code does not work.", app: "importer",
            commands: ["code list --limit 4", "code show newsletter"]),
        Ticket(
            name: "lost-progress", asks: "I have lost my progress.", app: "strikelab",
            commands: ["user show edsger@example.com"]),
        Ticket(
            name: "others-have-more", asks: "Others have 90 check-ins, I have 7.", app: "impulse",
            commands: [
                "quota show ada@example.com", "user why ada@example.com --against grace@example.com",
            ]),
        Ticket(
            name: "webhook-late", asks: "The store has said it long ago.", app: "impulse",
            commands: ["event list --user katherine@example.com --limit 3", "user show katherine@example.com"]),
        Ticket(
            name: "one-address", asks: "Which of the two am I?", app: "impulse",
            commands: ["user show twin@example.com", "user find twin", "user show ecc7172f"]),
        Ticket(
            name: "part-of-an-address", asks: "It was something with eklund.", app: "impulse",
            commands: ["user find eklund --limit 5"]),
        Ticket(
            name: "banned", asks: "Why am I banned?", app: "langchat", commands: ["user show trudy@example.com"]),
        Ticket(
            name: "signed-in-where", asks: "Am I signed out everywhere?", app: "impulse",
            commands: ["session list ada@example.com"]),
        Ticket(
            name: "order-number", asks: "Here is my order number, and my company's name.", app: "xtablo",
            commands: [
                "user find Tdc06ca99c6ef79", "user find cus_f1b1295e59875f", "user find indigo",
                "user why 'Indigo Theatre'",
            ]),
    ]

    private static let instant = "2026-11-21T14:00:00Z"

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Golden")

    /// The sample data of an app as it is at one instant, whatever the clock says.
    private static func database(of app: String) throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        for path in ["supabase_schema", "\(app)_schema", "\(app)_sample"] {
            let text = EmbeddedSQL.text(of: "demo/\(path).sql").replacingOccurrences(
                of: "now()", with: "timestamptz '\(instant)'")
            let result = try Subprocess.run(
                "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()],
                input: "set timezone = 'UTC';\n" + text)
            #expect(result.status == 0, "\(result.errors)")
        }
        return database
    }

    private static let databases = Result {
        try Dictionary(uniqueKeysWithValues: Set(tickets.map(\.app)).map { ($0, try database(of: $0)) })
    }

    @Test(arguments: tickets)
    func theTicketIsAnswered(_ ticket: Ticket) throws {
        let database = try #require(try Self.databases.get()[ticket.app])
        var transcript = "\(ticket.asks)\n\(ticket.commands.count) commands, on \(ticket.app)\n"
        for columns in [80, 120] {
            transcript += "\n== \(columns) columns\n"
            for command in ticket.commands {
                let terminal = try Usher.console(
                    try words(of: command) + ["--at", Self.instant, "--no-pager"], on: database.conninfo(),
                    environment: ["NO_COLOR": "1", "TZ": "UTC"], columns: UInt16(columns))
                let status = try terminal.end()
                let picture = String(decoding: terminal.picture, as: UTF8.self).replacingOccurrences(
                    of: "\r\n", with: "\n")
                transcript += "$ usher \(command)\n\(picture)" + (status == 0 ? "" : "(exit \(status))\n") + "\n"
            }
        }
        let file = Self.folder.appendingPathComponent("ticket-\(ticket.name).txt")
        if ProcessInfo.processInfo.environment["USHER_GOLDEN"] == "write" {
            try Data(transcript.utf8).write(to: file)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        for (number, (line, expected)) in zip(transcript.split(separator: "\n"), golden.split(separator: "\n"))
            .enumerated() where line != expected
        {
            Issue.record("ticket-\(ticket.name).txt, line \(number + 1):\n  \(expected)\nis now\n  \(line)")
            return
        }
        #expect(transcript == golden)
    }

    /// A command of the list above, which quotes with apostrophes alone.
    private func words(of command: String) throws -> [String] {
        command.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}
