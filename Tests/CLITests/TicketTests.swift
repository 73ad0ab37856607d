import Changes
import EmbeddedSQL
import Foundation
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Support tickets, with the commands that answer them and their screens.
///
/// The files in `Golden` have each ticket as a transcript at two widths; `USHER_GOLDEN=write swift test --filter
/// TicketTests` writes them again.
@Suite(.waiting) struct TicketTests {
    struct Ticket: Sendable, CustomTestStringConvertible {
        let name: String
        let asks: String
        let app: String
        let commands: [String]
        /// Commands that run before the ticket.
        ///
        /// These commands change data, so a ticket with such commands runs in a separate database.
        var before: [String]?

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
        Ticket(
            name: "delete-me", asks: "Delete my account.", app: "langchat",
            commands: [
                "account plan edith@example.com",
                "account delete edith@example.com --shared delete --confirm edith@example.com --reason 'by mail'",
            ], before: []),
        Ticket(
            name: "delete-an-owner", asks: "Delete my account; my colleagues stay.", app: "xtablo",
            commands: [
                "account plan grace@example.com",
                "organization transfer 'Harbour Bakery' --to vera.rossi@example.org --reason 'by mail' --yes",
                "account plan grace@example.com",
            ], before: []),
        Ticket(
            name: "wrong-grant", asks: "Somebody made the wrong user a partner.", app: "impulse",
            commands: ["audit list --user dennis@example.com", "audit undo {1} --reason 'the wrong one' --yes"],
            before: ["partner grant dennis@example.com --source ambassador --reason 'by mail' --yes"]),
        Ticket(
            name: "wrong-grant-since", asks: "The wrong user is a partner, and more has happened since.",
            app: "impulse",
            commands: [
                "audit undo {1} --reason 'the wrong one' --yes", "audit undo {2} --reason 'first this' --yes",
                "audit undo {1} --reason 'the wrong one' --yes",
            ],
            before: [
                "partner grant dennis@example.com --source ambassador --reason 'by mail' --yes",
                "partner revoke dennis@example.com --reason 'by mail' --yes",
            ]),
        Ticket(
            name: "all-my-data", asks: "Send me all my data.", app: "impulse",
            commands: ["user export ada@example.com --out {folder}/ada.ndjson"], before: []),
    ]

    private static let instant = "2026-11-21T14:00:00Z"

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Golden")

    /// The sample data of an app at one fixed instant.
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
    func ticketCommandsPrintTheExpectedScreens(_ ticket: Ticket) throws {
        let count = ticket.commands.count
        var transcript = "\(ticket.asks)\n\(count) command\(count == 1 ? "" : "s"), on \(ticket.app)\n"
        for columns in [80, 120] {
            transcript += "\n== \(columns) columns\n"
            if let before = ticket.before {
                transcript += try acted(ticket, after: before, columns: columns)
                continue
            }
            let database = try #require(try Self.databases.get()[ticket.app])
            for command in ticket.commands {
                transcript += try screen(command, ["--at", Self.instant], on: database, columns: columns)
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

    /// The command and its screen, as text.
    private func screen(
        _ command: String, _ more: [String] = [], on database: TestDatabase, columns: Int,
        filling: [String: String] = [:]
    ) throws -> String {
        let filled = filling.reduce(command) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        let terminal = try Usher.console(
            try words(of: filled) + more + ["--no-pager"], on: database.conninfo(),
            environment: ["NO_COLOR": "1", "TZ": "UTC"], columns: UInt16(columns))
        let status = try terminal.end()
        let picture = String(decoding: terminal.picture, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
        return "$ usher \(command)\n\(picture)" + (status == 0 ? "" : "(exit \(status))\n") + "\n"
    }

    /// The transcript in a separate database after other commands; `{1}` stands for the operation of the first
    /// command.
    private func acted(_ ticket: Ticket, after before: [String], columns: Int) throws -> String {
        let database = try Self.database(of: ticket.app)
        _ = try TestCluster.operatorRoles.get()
        let connection = try database.connect()
        for statement in LedgerSchema.transaction + [LedgerSchema.mark("production")] {
            _ = try connection.execute(statement)
        }
        try InstalledApp.install(try AppLibrary.app(ticket.app), on: connection)
        // The screens wrap lines by the length of this path.
        let scratch = try Scratch(in: URL(fileURLWithPath: "/tmp"))
        var filling = ["{folder}": scratch.folder.path]
        for (index, command) in before.enumerated() {
            let done = try Usher.run(try words(of: command) + ["--json"], on: database.conninfo())
            #expect(done.status == 0, "\(done.errors)")
            filling["{\(index + 1)}"] = try object(done.output)["operation"] as? String
        }
        var transcript = ""
        for command in ticket.commands {
            transcript += try screen(command, on: database, columns: columns, filling: filling)
        }
        return try withoutThePresent(transcript, on: database).replacingOccurrences(
            of: scratch.folder.path, with: "/home/me")
    }

    /// The transcript with fixed ids and times of the same length.
    private func withoutThePresent(_ text: String, on database: TestDatabase) throws -> String {
        var text = text
        let list = try objects(
            try Usher.run(["audit", "list", "--limit", "1000", "--json"], on: database.conninfo()).output)
        for (number, id) in list.reversed().compactMap({ $0["id"] as? String }).enumerated() {
            let name = "0000000\(number + 1)-0000-7000-8000-000000000000"
            text = text.replacingOccurrences(of: id, with: name).replacingOccurrences(
                of: id.prefix(8), with: name.prefix(8))
        }
        // Starts a new month of the quota at the current time.
        text = text.replacing(#/(resets_at +)[0-9-]+ [0-9:]+( → 2026-11)/#) {
            "\($0.output.1)2026-12-21 14:00\($0.output.2)"
        }
        let now = Date()
        for day in [now, now.addingTimeInterval(-3600), now.addingTimeInterval(3600)] {
            let date = day.ISO8601Format().prefix(10)
            text = text.replacing(try Regex("\(date)([ T])[0-9]{2}:[0-9]{2}")) { match in
                "2026-11-21" + (match.output[1].substring ?? " ") + "14:00"
            }
        }
        return text
    }

    /// The words of a command; only apostrophes quote.
    private func words(of command: String) throws -> [String] {
        command.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}
