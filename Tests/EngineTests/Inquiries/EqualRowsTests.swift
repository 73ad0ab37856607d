import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// The select of a decision may return several rows for a user that differ only in their facts.
@Suite struct EqualRowsTests {
    @Test func decisionKeepsTheRowOfEachAnswerIfRulesRunOneByOne() throws {
        let file = """
            -- @app twice  Twice
            -- @requires public.profiles
            -- @users
            -- @key id
            -- @email email
            select p.id, p.email from public.profiles p;
            -- @decision metal  Which?
            -- @per place
            select u.id, 'x' as place, m.metal from users u cross join (values ('gold'), ('silver')) as m (metal);
            -- @rule gold  It is gold.
            metal = 'gold';
            -- @rule silver  It is silver.
            metal = 'silver';
            -- @rule broken  It raises.
            1 / (length(metal) - length(metal)) > 0;
            -- @rule none  Neither.
            true;
            """
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("twice.sql", file).path)
        let report = try UserQuestion(user: "ada@example.com", wantsEverything: false).ask(
            on: try TestCluster.database(of: "impulse").connect(), candidates: [app], options: InquiryOptions())
        let answers = Dictionary(
            uniqueKeysWithValues: report.decisions.map { decision in
                (decision.facts.first { $0.name == "metal" }?.value.text ?? "", decision.outcome)
            })
        #expect(answers == ["gold": "gold", "silver": "silver"])
        #expect(report.decisions.allSatisfy { !$0.isUncertain })
    }
}
