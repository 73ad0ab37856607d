import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appDiff = Verb(
        Command(
            path: ["app", "diff"], summary: "What one version of an app file says and another does not, in words.",
            discussion: """
                Decisions rule by rule, actions with who may and what they promise, everything else block by block. White space \
                and comments are no differences. No database is asked.
                """,
            arguments: [
                Argument(name: "BEFORE", kind: .app, summary: "An app or a file."),
                Argument(name: "AFTER", kind: .app, summary: "The same in another version."),
            ],
            examples: [
                Example(command: "app diff ./old.sql ./mine.sql", explains: "For whoever has to agree to a change.")
            ], traits: [.writesResult, .writesRows]), reach: .here
    ) { invocation, context throws(Failure) in
        let before = try AppLibrary.app(invocation.argument("BEFORE") ?? "")
        let after = try AppLibrary.app(invocation.argument("AFTER") ?? "")
        let difference = AppDifference.between(before, after)
        try PageWriter(context: context).write(
            json: DifferenceView.json(before, after, difference), records: DifferenceView.records(difference),
            key: difference.items.map(\.block).joined(separator: "\n"),
            screen: DifferenceView.screen(before, after, difference))
        return .done
    }
}

/// How two versions of an app file are told apart.
private enum DifferenceView {
    static func screen(_ before: App, _ after: App, _ difference: AppDifference) -> [SafeText] {
        var lines = [
            (SafeText(before.name) + " \(before.shortDigest) and " + SafeText(after.name) + " \(after.shortDigest)").dim
        ]
        if difference.items.isEmpty { return lines + ["They say the same."] }
        var block: String?
        for item in difference.items {
            if item.block != block { lines += ["", SafeText(item.block).bold] }
            block = item.block
            lines += self.lines(item)
        }
        return lines
    }

    private static func lines(_ item: AppDifference.Item) -> [SafeText] {
        guard let part = item.part else { return ["  " + SafeText(item.change == .added ? "is new" : "is gone")] }
        let name = SafeText(part)
        func told(_ word: SafeText, _ text: String?) -> [SafeText] {
            let lines = (text ?? "").split(whereSeparator: \.isNewline)
            let gap = SafeText(repeating: " ", count: word.width)
            return lines.enumerated().map { index, line in
                "      " + (index == 0 ? word.dim : gap) + "  " + SafeText(String(line))
            }
        }
        switch item.change {
        case .added: return ["  " + ("new    " as SafeText).green + name] + told("   ", item.after)
        case .removed: return ["  " + ("gone   " as SafeText).red + name] + told("   ", item.before)
        case .moved: return ["  " + ("order  " as SafeText).yellow + name + " stands in another place"]
        case .changed:
            return ["  " + ("change " as SafeText).yellow + name] + told("was", item.before.map(Self.shown))
                + told("now", item.after.map(Self.shown))
        }
    }

    private static func shown(_ text: String) -> String { text.isEmpty ? "nothing" : text }

    static func json(_ before: App, _ after: App, _ difference: AppDifference) -> [(String, JSON)] {
        func side(_ app: App) -> JSON {
            JSON([
                ("name", .string(app.name)), ("file", JSON(app.files.first?.name)), ("digest", .string(app.digest)),
            ])
        }
        let changes = difference.items.map { item in
            JSON([
                ("block", .string(item.block)), ("part", JSON(item.part)), ("change", .string(item.change.rawValue)),
                ("before", JSON(item.before)), ("after", JSON(item.after)),
            ])
        }
        return [
            ("before", side(before)), ("after", side(after)), ("same", .bool(difference.items.isEmpty)),
            ("changes", .array(changes)),
        ]
    }

    static func records(_ difference: AppDifference) -> [Row] {
        let columns = ["block", "part", "change", "before", "after"].map { Column(name: $0, type: .text) }
        return difference.items.map { item in
            Row(
                columns: columns,
                values: [item.block, item.part, item.change.rawValue, item.before, item.after].map {
                    Value($0, type: .text)
                })
        }
    }
}
