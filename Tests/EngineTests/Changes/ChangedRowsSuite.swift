@testable import Asking
import AppFile
import Changes
import PQ
import Support
import Testing

/// Runs one action on the first user, and compares the tables before and after it.
protocol ChangedRowsSuite {}

extension ChangedRowsSuite {
    /// An action `lab go` with some statements.
    static func action(_ statements: String..., more: String = "") -> String {
        "-- @action lab go  Does it.\n\(more)\n" + statements.map { "-- @do\n\($0);\n" }.joined()
    }

    static var go: ChangeRequest { .action("lab", "go", on: "1") }

    /// Runs a change, compares it with its dry run, undoes it, and undoes the undo.
    @discardableResult
    func hold(
        _ lab: ChangeLab, _ request: ChangeRequest = Self.go, ignoring columns: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ChangeReport {
        let before = try lab.everything(but: columns)
        let plan = try lab.plan(request)
        #expect(try lab.everything(but: columns) == before, sourceLocation: sourceLocation)
        let report = try lab.run(request)
        #expect(report.shape == plan.shape, sourceLocation: sourceLocation)
        let after = try lab.everything(but: columns)
        #expect(after != before, sourceLocation: sourceLocation)
        let undone = try lab.undo(report.operation)
        #expect(try lab.everything(but: columns) == before, sourceLocation: sourceLocation)
        try lab.undo(undone.operation)
        #expect(try lab.everything(but: columns) == after, sourceLocation: sourceLocation)
        #expect(try lab.isIntact(), sourceLocation: sourceLocation)
        return report
    }
}
