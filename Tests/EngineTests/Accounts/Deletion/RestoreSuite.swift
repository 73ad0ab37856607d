import Accounts
import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// Deletes an account with an archive, and restores it.
protocol RestoreSuite {}

extension RestoreSuite {
    func restore(
        _ path: String, _ lab: ErasureLab, dryRun: Bool = false, role: String = ErasureLab.hosted
    ) throws -> RestoreReport {
        try Restore.open(
            path, reason: nil, isDryRun: dryRun, on: try lab.database.connect(user: role),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: role)
        ).run(reason: nil, ticket: nil, isDryRun: dryRun)
    }

    /// Deletes Ada with an archive, restores her, and checks that everything is as before.
    @discardableResult
    func roundTrip(_ statements: String..., differing: Bool = false) throws -> RestoreReport {
        try roundTrip(statements, differing: differing)
    }

    /// Runs more statements between the deletion and the restore.
    @discardableResult
    func roundTrip(_ statements: [String], differing: Bool = false, between: [String] = []) throws -> RestoreReport {
        let lab = try ErasureLab(
            ["create table person (id int primary key, email text)", "insert into person values (1, 'a'), (2, 'b')"]
                + statements)
        let before = try lab.everything()
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete("1", root: "public.person") { request in
            request.archive = path
            (request.account.undeclared, request.account.shared) = (.keep, .delete)
        }
        #expect(try lab.everything() != before)
        for statement in between { try lab.database.run(statement) }
        let report = try restore(path, lab)
        if differing { #expect(!report.missed.isEmpty) } else { #expect(report.missed.isEmpty) }
        if !differing { #expect(try lab.everything() == before) }
        return report
    }
}
