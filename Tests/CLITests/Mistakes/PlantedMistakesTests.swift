import Foundation
import Support
import Testing

/// `app check` finds one mistake in an otherwise valid file, at its place.
@Suite(.long) struct PlantedMistakesTests {
    @Test(arguments: Plant.all) func appCheckFindsAPlantedMistakeAtItsPlace(_ plant: Plant) throws {
        let text = try plant.file.text(with: plant.mistake)
        let findings = try plant.file.findings(in: text)
        #expect(!findings.isEmpty, "missed: \(plant.mistake.name)")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = findings.filter { finding in
            finding.file.hasSuffix("/\(plant.file.name).sql")
                && lines[finding.line - 1].dropFirst(finding.column - 1).hasPrefix(plant.mistake.place)
        }
        #expect(!found.isEmpty, "wrong place: \(plant.mistake.name): \(findings)")
        let messages = found.map { "\($0.message) \($0.hint ?? "")" }.joined(separator: "\n")
        #expect(
            messages.contains(plant.mistake.offers) || plant.mistake.offers.isEmpty,
            "other words: \(plant.mistake.name): \(messages)")
    }

    @Test(arguments: Plant.files)
    func appCheckAcceptsAValidAppFile(_ file: MistakenFile) throws {
        #expect(try file.findings(in: file.text).isEmpty)
    }

    /// Editors save files with different line ends.
    @Test(arguments: ["\r\n", "\r"]) func appCheckAcceptsWindowsLineEnds(_ end: String) throws {
        let text = MistakenFleet.file.text.replacing("\n", with: end)
        #expect(try MistakenFleet.file.findings(in: text).isEmpty)
        #expect(try MistakenFleet.file.findings(in: "\u{FEFF}" + text).isEmpty)
    }

    @Test func appCheckReportsAFileThatIsNotUTF8Once() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "wide.sql", holding: "")
        try #require(MistakenFleet.file.text.data(using: .utf16)).write(to: URL(filePath: path))
        let result = try Usher.run(
            ["app", "check", path, "--json", "-q"], on: MistakenFleet.file.database.get().conninfo())
        #expect(try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8)).count == 1)
    }

    @Test func appShowReportsOnlyTheVersionOfANewerAppFile() throws {
        let scratch = try Scratch()
        let path = try scratch.path(
            of: "newer.sql", holding: "-- @app newer\n-- @language 99\n-- @frobnicate all\n-- @conjure\nselect;\n")
        let result = try Usher.run(["app", "show", path, "--json"])
        #expect(result.status != 0)
        #expect(result.errors.contains("version 99 of the app language"))
        #expect(!result.errors.contains("frobnicate"))
    }

    /// An app file may not read a secret column even inside an expression: usher grants operators no right on secret
    /// columns.
    @Test(arguments: [
        "md5(s.api_key)", "right(s.api_key, 4)", "left(s.api_key, 4) || '…'", "s.api_key is not null",
        "length(s.api_key)", "case when s.api_key is null then 'none' else 'set' end",
        "jsonb_build_object('set', s.api_key is not null)", "s.api_key = s.title",
        "case when s.api_key = s.title then 'same' end", "count(s.api_key) over ()",
        "(select count(p.recovery) from public.people p)",
        "(select p.recovery ->> 'kind' from public.people p limit 1)",
    ])
    func appCheckReportsAnExpressionThatReadsASecret(_ expression: String) throws {
        let file = MistakenMarket.file
        let inner = file.text.replacingOccurrences(of: "select s.title, c.since,", with: "select \(expression) as x,")
        let outer = inner.replacingOccurrences(
            of: "  join public.shops s on s.id = c.shop_id\n where",
            with: "  left join public.shops s on s.id = c.shop_id\n where")
        for text in [inner, outer] {
            let findings = try file.findings(in: text)
            let read = expression.contains("recovery") ? "public.people.recovery" : "public.shops.api_key"
            #expect(
                findings.contains { $0.message.contains("this SQL reads \(read), which is a @secret") }, "\(findings)")
        }
    }

    @Test func appCheckAcceptsFactsAsArgumentsOfAdvice() throws {
        let file = MistakenMarket.file
        let action = """
            -- @action shop fill  Set the number of workers of a shop.
            -- @on shop
            -- @arg seats: int 5..500
            -- @grade moderate
            -- @do
            update public.shops set seats = :seats where id = any(:keys);

            -- @check dangling
            """
        func findings(_ advice: String) throws -> [Finding] {
            let text = file.text.replacing("-- @check dangling", with: action)
                .replacing("Sold for {cents}.\n", with: "Sold for {cents}.\n-- @advice \(advice)\n")
            return try file.findings(in: text)
        }
        #expect(try findings("More: `shop fill {title} {seats}`, or `shop fill {title} {cents}`").isEmpty)
        #expect(try findings("More: `shop fill {title} 501`").count == 1)
    }

    @Test func appCheckAcceptsTheConversionOfARowWithoutSecretsToJSON() throws {
        let file = MistakenMarket.file
        let text = file.text.replacingOccurrences(of: "select s.title, c.since,", with: "select to_jsonb(c) as x,")
        #expect(try file.findings(in: text).isEmpty)
    }
}
