import Accounts
import AppFile
import Asking
import Foundation
import PQ
import Support
import Testing

/// Deletes a user from random schemas.
///
/// Afterwards no column contains the user, the other account's rows are unchanged, and every reference has its row.
/// Then the archive restores everything, although triggers change and delete other rows. Rows that triggers wrote stay,
/// and the report lists them.
@Suite(.waiting, .long) struct RandomErasureTests {
    @Test func deletionInARandomSchemaRemovesOnlyTheTargetUser() throws {
        let lab = try ErasureLab()
        try RandomSchema.attempt { try problem($0, lab) }
    }

    /// The first problem of a deletion from the schema, or nil.
    private func problem(_ schema: RandomSchema, _ lab: ErasureLab) throws -> String? {
        let connection = try lab.database.connect()
        let reset = [
            "drop schema public cascade", "create schema public",
            "grant usage on schema public to \(ErasureLab.hosted)",
        ]
        for outcome in try connection.pipeline([(reset + schema.statements).map { Query(unsafe: $0) }])[0] {
            if case .failure(let error) = outcome { return "\(RandomSchema.unfit): \(error.message)" }
        }
        _ = try connection.execute(
            "grant select, insert, update, delete on all tables in schema public to \(Identifier(ErasureLab.hosted))")
        let others = try everythingButTarget(lab)
        let before = try lab.everything()
        let scratch = try Scratch()
        let archive = scratch.folder.appendingPathComponent("archive").path
        var isArchived = true
        do {
            let report: DeletionReport
            do {
                report = try delete(schema, lab) { $0.archive = archive }
            } catch let failure as Failure {
                guard failure.code == "no_key" else { throw failure }
                isArchived = false
                report = try delete(schema, lab)
            }
            if !report.isVerified {
                return "not verified: \(report.undeclared) \(report.appeared ?? [:]) \(report.written)"
            }
        } catch let failure as Failure {
            return "refused: \(failure.message) \(failure.details)"
        }
        let left = try lab.everything()
        if let row = left.first(where: { $0.contains(RandomSchema.target) }) { return "left: \(row)" }
        let leftOfOthers = try everythingButTarget(lab)
        if leftOfOthers != others { return "changed: \(Set(others).symmetricDifference(leftOfOthers).sorted())" }
        for query in schema.orphanQueries {
            if try lab.value(query) != "0" { return "dangling: \(query)" }
        }
        if let row = before.first(where: { $0.contains("shared") && !holds(left, $0) }) { return "lost: \(row)" }
        return isArchived ? try restorationProblem(archive, before, lab) : nil
    }

    /// Returns whether a shared row is still there, possibly without some of its values.
    private func holds(_ rows: [String], _ row: String) -> Bool {
        func name(_ row: String) -> String {
            row.split(separator: ",").first { $0.contains("shared") }.map(String.init) ?? ""
        }
        let table = row.prefix { $0 != "(" }
        return rows.contains { $0.hasPrefix(table) && name($0) == name(row) }
    }

    private func delete(
        _ schema: RandomSchema, _ lab: ErasureLab, _ change: (inout DeletionRequest) -> Void = { _ in }
    ) throws -> DeletionReport {
        do {
            return try lab.delete(RandomSchema.target, root: "public.t0", suspected: ["public.audit=delete"], change)
        } catch let failure as Failure {
            // A row that also depends on a row without an owner counts as shared. No row of the other account depends
            // on rows of the deleted user.
            let refusal = #/shared with other users: [0-9]+ of [0-9]+ rows? to delete/#
            guard failure.message.wholeMatch(of: refusal) != nil else { throw failure }
            return try lab.delete(
                RandomSchema.target, root: "public.t0", collateral: .delete, suspected: ["public.audit=delete"], change)
        }
    }

    /// The first problem of the restore: all tables must be as before, except those that the report lists.
    private func restorationProblem(_ archive: String, _ before: [String], _ lab: ErasureLab) throws -> String? {
        let report: RestoreReport
        do {
            let restore = try Restore.open(
                archive, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
                options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted))
            report = try restore.run(reason: nil, ticket: nil, isDryRun: false)
        } catch let failure as Failure {
            return "not restored: \(failure.message) \(failure.details)"
        }
        let missed = report.missed
        // Rows in which a trigger sets a time may differ in this time.
        let names = report.dated.compactMap { $0.table.split(separator: ".").last }
        let dated = Set(names.map { $0.replacing("\"", with: "\"\"") })
        func undated(_ row: String) -> String {
            dated.contains(where: row.contains) ? row.replacing(/"20[2-9][^"]*"/, with: "now") : row
        }
        let different = Set(before.map(undated)).symmetricDifference(try lab.everything().map(undated))
        let tables = Set(different.map { String($0.prefix { $0 != " " }) })
        let reported = Set(missed.map { String($0.prefix { $0 != ":" }) })
        // Only rows that triggers wrote may stay.
        return tables == reported && reported.isSubset(of: ["public.queue", "public.audit"])
            ? nil : "reported: \(missed), different: \(different.sorted())"
    }

    private func everythingButTarget(_ lab: ErasureLab) throws -> [String] {
        try lab.everything().filter { $0.contains("control") || $0.contains("nobody") }
    }
}
