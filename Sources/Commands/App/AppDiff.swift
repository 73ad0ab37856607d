import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appDiff = Command(
        "app diff", summary: "Compare two versions of an app file in plain words.",
        discussion: """
            usher compares the lines of `app show --prose`: texts, decisions rule by rule, and actions. Use `diff` to compare the \
            SQL. This command doesn't need a database.
            """,
        arguments: [
            Argument("BEFORE", .app, summary: "The old version: the name of an app, or an app file."),
            Argument("AFTER", .app, summary: "The new version: the name of an app, or an app file."),
        ],
        examples: [
            Example(
                "app diff ./old.sql ./mine.sql", explains: "Show a change to the people who approve it.",
                output: """
                    - 2  active   The trial runs until {trial_ends_at}.
                    + 2  active   The free trial runs until {trial_ends_at}.
                    """)
        ], traits: [.writesResult, .writesRows]
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) -> Void in
        let difference = ProseDifference(
            before: try AppLibrary.app(invocation.argument("BEFORE") ?? ""),
            after: try AppLibrary.app(invocation.argument("AFTER") ?? ""))
        try context.writePage(
            json: difference.json, list: "changes",
            key: difference.lines.map(\.text.description).joined(separator: "\n"), screen: difference.screen)
    }
}

/// The lines of `app show --prose` that differ between two app files.
private struct ProseDifference {
    enum Change: String { case removed, added }

    private let before: App
    private let after: App
    let lines: [(change: Change, text: SafeText)]

    init(before: App, after: App) {
        (self.before, self.after) = (before, after)
        let (old, new) = (AppProse(width: nil).lines(before), AppProse(width: nil).lines(after))
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var (lines, at) = ([(change: Change, text: SafeText)](), (old: 0, new: 0))
        while at.old < old.count || at.new < new.count {
            if removed.contains(at.old) {
                lines.append((.removed, old[at.old]))
                at.old += 1
            } else if added.contains(at.new) {
                lines.append((.added, new[at.new]))
                at.new += 1
            } else {
                at = (at.old + 1, at.new + 1)
            }
        }
        self.lines = lines
    }

    private var isSameFile: Bool { before.digest == after.digest }

    var screen: [SafeText] {
        let head =
            SafeText(before.name) + " \(before.shortDigest) and " + SafeText(after.name) + " \(after.shortDigest)"
        if lines.isEmpty {
            return [
                head.dim,
                isSameFile
                    ? "Both versions are identical."
                    : "`usher app show --prose` prints the same text for both versions. They differ elsewhere, for example in SQL or in @account.",
            ]
        }
        return [head.dim] + lines.map { $0.change == .removed ? ("- " + $0.text).red : ("+ " + $0.text).green }
    }

    var json: JSON.Members {
        func side(_ app: App) -> JSON {
            JSON([
                ("name", app.name), ("file", app.files.first?.name), ("digest", app.digest),
            ])
        }
        let changes = lines.map { line in
            JSON([("change", line.change.rawValue), ("line", line.text.description)])
        }
        return [
            ("before", side(before)), ("after", side(after)), ("same", isSameFile), ("changes", changes),
        ]
    }
}
