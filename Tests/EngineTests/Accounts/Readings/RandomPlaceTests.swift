import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// Deletes an account of whom lines alone know where it stands.
///
/// Afterwards every row of every such place is exactly what its line says, other people's to the letter; nothing was asked; and
/// the archive brings all of it back.
@Suite(.waiting, .long) struct RandomPlaceTests {
    @Test func everyPlaceIsWhatItsLineSays() throws {
        let lab = try ErasureLab()
        try RandomPlaces.attempt { try problem($0, lab) }
    }

    /// What a survey proposes, taken as it is, leaves nothing to ask, and nobody else's rows change.
    @Test func whatIsProposedAsksNothing() throws {
        let lab = try ErasureLab()
        try RandomPlaces.attempt { places in
            if let problem = try make(places, lab) { return problem }
            let survey = try survey(try ErasureLab.app([]), lab)
            // What users share nobody decides but them who know the app.
            if !survey.shared.isEmpty { return nil }
            let lines = survey.unsettled.flatMap(\.proposal).map { $0.line + ($0.reason.map { " : \($0)" } ?? "") }
            let app = try ErasureLab.app(lines)
            let again = try self.survey(app, lab)
            if !again.isSettled { return "asked again: \(again.unsettled) behind \(lines)" }
            if let problem = try deletionProblem(places, app, lab) { return "\(problem) with \(lines)" }
            for place in places.expected(areAll: false) {
                let rows = try lab.rows(place.query)
                if let lost = place.rows.first(where: { !rows.contains($0) }) {
                    return "\(place.table) lost \(lost), by \(lines)"
                }
            }
            return nil
        }
    }

    /// Makes the places in an empty schema.
    private func make(_ places: RandomPlaces, _ lab: ErasureLab) throws -> String? {
        let reset = [
            "drop schema public cascade", "create schema public",
            "grant usage on schema public to \(ErasureLab.hosted)",
        ]
        for outcome in try lab.database.connect().pipeline([(reset + places.statements).map { Query(unsafe: $0) }])[0] {
            if case .failure(let error) = outcome { return "\(RandomPlaces.unfit): \(error.message)" }
        }
        try lab.grant()
        return nil
    }

    private func survey(_ app: App, _ lab: ErasureLab) throws -> Survey {
        try Survey.make(
            AccountRequest(users: []), on: try lab.database.connect(user: ErasureLab.hosted), candidates: [app],
            options: InquiryOptions())
    }

    /// Deletes the accounts by the lines of an app, and says what was wrong with that.
    private func deletionProblem(
        _ places: RandomPlaces, _ app: App, _ lab: ErasureLab, archive: String? = nil
    ) throws -> String? {
        do {
            let report = try lab.delete(places.leaving, root: nil, app: app) {
                // What goes in parts is in no archive.
                $0.archive = places.run == .parts ? nil : archive
                $0.account.isThorough = false
                switch places.run {
                case .whole: break
                case .settled: $0.isAnswered = true
                case .parts: $0.batch = 2
                }
            }
            return report.isVerified ? nil : "not verified: \(report.suspects) \(report.leftByTriggers)"
        } catch let failure as Failure {
            return "refused: \(failure.message) \(failure.details)"
        }
    }

    private func problem(_ places: RandomPlaces, _ lab: ErasureLab) throws -> String? {
        if let problem = try make(places, lab) { return problem }
        let before = try lab.everything()
        let scratch = try Scratch()
        let archive = scratch.folder.appendingPathComponent("archive").path
        let app = try ErasureLab.app(places.lines)
        let survey = try survey(app, lab)
        if !survey.isSettled { return "not settled: \(survey.unsettled)" }
        if let problem = try deletionProblem(places, app, lab, archive: archive) { return problem }
        for place in places.expected() {
            let rows = try lab.rows(place.query)
            if rows != place.rows { return "\(place.table) is \(rows), not \(place.rows)" }
        }
        if try lab.rows("select email from users") != places.staying.map({ [$0] }) { return "users" }
        if try lab.value("select count(*) from things") != "\(places.staying.count)" { return "things" }
        if places.run == .parts { return nil }
        do {
            let restore = try Restore.open(
                archive, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
                options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted))
            let report = try restore.run(reason: nil, ticket: nil, isDryRun: false)
            if !report.missed.isEmpty { return "missed: \(report.missed)" }
        } catch let failure as Failure {
            return "not restored: \(failure.message) \(failure.details)"
        }
        let different = Set(before).symmetricDifference(try lab.everything())
        return different.isEmpty ? nil : "restored: \(different.sorted())"
    }
}
