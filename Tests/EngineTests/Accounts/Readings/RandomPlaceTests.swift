import Accounts
import Asking
import Foundation
import PQ
import Support
import Testing

/// Deletes an account of whom lines alone know where it stands.
///
/// Afterwards every row of every such place is exactly what its line says, other people's to the letter; nothing was asked; and
/// the archive brings all of it back.
@Suite(.waiting) struct RandomPlaceTests {
    @Test func everyPlaceIsWhatItsLineSays() throws {
        let lab = try ErasureLab()
        try RandomPlaces.attempt { try problem($0, lab) }
    }

    private func problem(_ places: RandomPlaces, _ lab: ErasureLab) throws -> String? {
        let connection = try lab.database.connect()
        let reset = [
            "drop schema public cascade", "create schema public",
            "grant usage on schema public to \(ErasureLab.hosted)",
        ]
        for outcome in try connection.pipeline([(reset + places.statements).map { Query(unsafe: $0) }])[0] {
            if case .failure(let error) = outcome { return "\(RandomPlaces.unfit): \(error.message)" }
        }
        try lab.grant()
        let before = try lab.everything()
        let scratch = try Scratch()
        let archive = scratch.folder.appendingPathComponent("archive").path
        do {
            let report = try lab.delete(
                places.leaving, root: nil, app: try ErasureLab.app(places.lines)
            ) {
                // What goes in parts is in no archive.
                $0.archive = places.run == .parts ? nil : archive
                $0.account.isThorough = false
                switch places.run {
                case .whole: break
                case .settled: $0.isAnswered = true
                case .parts: $0.batch = 2
                }
            }
            if !report.isVerified { return "not verified: \(report.suspects) \(report.leftByTriggers)" }
        } catch let failure as Failure {
            return "refused: \(failure.message) \(failure.details)"
        }
        for place in places.expected {
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
