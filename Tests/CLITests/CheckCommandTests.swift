import Support
import Testing

/// Broken invariants as people see them: whole addresses, and what mends them.
@Suite struct CheckCommandTests {
    private func screen(_ words: [String], on database: String) throws -> [String] {
        let terminal = try Usher.console(words, on: database, environment: ["NO_COLOR": "1"])
        _ = try terminal.end()
        return String(decoding: terminal.picture, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test func addressesAreWholeOnANarrowScreen() throws {
        let lines = try screen(["check", "trial-overdue"], on: try SampleDatabase.conninfo)
        #expect(lines.contains { $0.contains("  ada@example.com ") })
        #expect(lines.contains { $0.contains("@privaterelay.appleid.com ") })
        #expect(!lines.contains { $0.contains("…") }, "\(lines)")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func whatAWebhookBelongsToIsNamed() throws {
        let lines = try screen(["check", "webhooks"], on: try SampleDatabase.conninfo)
        #expect(lines.contains { $0.contains("niklaus@example.com") })
        // It is no news on the screen of the user, whose address stands above.
        let card = try screen(["user", "show", "niklaus@example.com"], on: try SampleDatabase.conninfo)
        let inbox = card.prefix { !$0.hasPrefix("access") }
        #expect(inbox.count { $0.contains("niklaus@example.com") } == 1, "\(inbox)")
    }

    @Test func theRepairIsNamedWhereThereIsOne() throws {
        let overdue = try screen(["check", "trial-overdue"], on: try SampleDatabase.conninfo)
        #expect(overdue.contains("        → Mend it with trial expire: usher check trial-overdue --fix"))
        let other = try screen(["check", "paid-past-end"], on: try SampleDatabase.conninfo)
        #expect(!other.contains { $0.contains("→") })
    }

    @Test func whereNobodyCanBeAskedTheCommandSaysWhatToAdd() throws {
        let database = try MarkedDatabase.fresh(as: "production")
        let said = ["--reason", "overdue", "--no-input"]
        #expect(try Usher.run(["install", "-q", "--yes"] + said, on: database.conninfo()).status == 0)
        let fix = try Usher.run(["check", "trial-overdue", "--fix"] + said, on: database.conninfo())
        #expect(
            fix.status == 7 && fix.errors.contains("`usher check trial-overdue --fix`: add --confirm 1"),
            "\(fix.errors)")
    }
}
