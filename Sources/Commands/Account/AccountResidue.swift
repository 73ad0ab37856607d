import Accounts
import AppFile
import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let accountResidue = Verb(
        Command(
            path: ["account", "residue"], summary: "Search the whole database for an id or an address.",
            discussion: """
                Looks into every uuid, text, JSON, array and bytea column of every table, foreign table and materialized view, \
                the console's own included, whether anything declares it or not; for a number, into numbers too. An address is \
                found as browsers and JSON write it; one that only ends like it is another user's, where there is that user. A small \
                number, which may mean anything, is looked for where a key or a name means users, who are rows of --root; the \
                other columns are counted, and -v names them, as it does those in which the app file lets people be named, and texts, \
                in which such a number counts where it stands alone or beside a word for a user. What this role may not read is said; where lines of the app file say what \
                becomes of it, nothing is missing, nor is anything left where they let people be named. Exit 1 when something else is \
                found, 7 when a table could not be searched to the last row.

                If the audit log knows more of a deleted account, usher searches for its key and its email alike, and says for \
                what it searched. After `account delete` the log has forgotten the email: search for the key.
                """,
            arguments: [
                Argument(name: "TEXT", kind: .text, summary: "An id or an address; letter case does not matter.")
            ],
            options: [AccountOptions.root],
            examples: [
                Example(command: "account residue ada@example.com", explains: "Is anything left of her?")
            ], traits: .reports), isOfDatabase: true
    ) { invocation, context throws(Failure) in
        let screen = context.screen
        let isShown = context.showsProgress
        var root: AccountRoot.Name?
        if let text = invocation.option("root") { root = try AccountRoot.Name(text) }
        // The database is searched as a whole, of which a file about many schemas says nothing.
        let residue = try Accounts.Residue.search(
            invocation.argument("TEXT") ?? "", root: root, on: try context.connection(),
            candidates: try context.candidates().filter(\.isOfOneSchema), options: context.inquiry
        ) { progress in
            if isShown { screen.status(SafeText("\(progress.searched)/\(progress.tables)  \(progress.table)")) }
        }
        screen.status(nil)
        try ResidueView(residue, context).write()
        guard residue.isWhole else {
            throw Failure(
                .partial, "not everything could be searched",
                details: residue.gapSentences(isWhole: context.options.isVerbose))
        }
        return residue.isClean ? .done : .failed
    }
}

/// How the places look that still hold somebody.
struct ResidueView {
    private let residue: Accounts.Residue
    private let context: Context

    init(_ residue: Accounts.Residue, _ context: Context) {
        self.residue = residue
        self.context = context
    }

    func write() throws(Failure) {
        switch context.options.format.shape {
        case .document, .objects, .keys:
            try PageWriter(context: context).write(json: json, records: records, key: names, screen: lines)
        default: try writeTable()
        }
    }

    private func writeTable() throws(Failure) {
        if context.showsScreen { return context.screen.write(lines) }
        let writer = RecordWriter(context)
        for record in records { try writer.write(record) }
        try writer.finish(columns: Self.columns)
    }

    /// How far it searched: of what lines settle and this role may not read, nothing is missing.
    private var searched: SafeText {
        var settled: [String] = []
        for case (let table, .settled(let columns)) in residue.unsearched {
            settled += columns.map { pasted(table, $0) }
        }
        let texts = residue.partly.flatMap { table, columns in columns.map { pasted(table, $0) } }
        var parts = ["\(residue.searched.of("column")) searched for \(residue.names.joined(separator: ", "))"]
        if !texts.isEmpty {
            parts.append("so short a number in texts only where it stands alone or as a user's: \(folded(texts))")
        }
        if !settled.isEmpty {
            parts.append("settled by lines of the app file, and not for this role to read: \(folded(settled))")
        }
        return SafeText(parts.joined(separator: "; "))
    }

    private func folded(_ columns: [String]) -> String {
        context.options.isVerbose
            ? columns.joined(separator: ", ") : columns.count.of("column") + ", which -v lists"
    }

    private var names: String { residue.found.map { pasted($0.table, $0.column) }.joined(separator: "\n") }

    private var json: [(String, JSON)] {
        [
            ("searched", JSON(residue.searched)),
            (
                "found",
                .array(
                    residue.found.map { place in
                        JSON([
                            ("table", .string(place.table)), ("column", .string(place.column)),
                            ("rows", JSON(place.rows)), ("settled", .bool(place.isSettled)),
                        ])
                    })
            ),
            (
                "unsearched",
                .array(
                    residue.unsearched.map {
                        JSON([("table", .string($0.table)), ("because", .string($0.gap.sentence))])
                    })
            ),
            (
                "partly",
                .array(
                    residue.partly.map {
                        JSON([("table", .string($0.table)), ("columns", .array($0.columns.map { .string($0) }))])
                    })
            ),
            ("clean", .bool(residue.isClean)),
        ]
    }

    private static let columns = [
        Column(name: "table", type: .text), Column(name: "column", type: .text), Column(name: "rows", type: .bigint),
    ]

    private var records: [Row] {
        residue.found.map { place in
            Row(
                columns: Self.columns,
                values: [Value(place.table), Value(place.column), Value("\(place.rows)", type: .bigint)])
        }
    }

    private var lines: [SafeText] {
        let end = [searched.dim] + (isKeyKnown ? [] : [Self.noKey])
        if residue.found.isEmpty {
            return [residue.isClean && residue.partly.isEmpty ? ("Nothing found." as SafeText).green : "Nothing found."]
                + end
        }
        let folds = !context.options.isVerbose
        let shown = residue.found.filter { !folds || !$0.isSettled }
        let settled = residue.found.filter(\.isSettled)
        let rows = shown.map { place -> [SafeText] in
            [
                SafeText(pasted(place.table)), SafeText(SQLName.path(of: [place.column])), SafeText("\(place.rows)"),
                place.isCopy
                    ? ("a materialized view: refresh it" as SafeText).dim
                    : place.isSettled ? ("stays by the app file" as SafeText).dim : "",
            ]
        }
        let table = TextTable(
            columns: [.init("table"), .init("column"), .init("rows", alignment: .right, canShrink: false), .init("")],
            rows: rows)
        var lines = rows.isEmpty ? [] : table.lines(width: context.screen.widthLimit)
        if folds, !settled.isEmpty {
            let count = settled.count.of("column")
            lines.append(SafeText("named in \(count) by lines of the app file, which -v lists").dim)
        }
        return lines + end
    }

    /// Whether more than an email was searched for, by which a store or a table may know nobody.
    private var isKeyKnown: Bool { residue.names.contains { !$0.contains("@") } }

    private static let noKey = SafeText(
        advice:
            "The key of the account was not searched: the audit log knows none for this email, because it forgets the email of a "
            + "deleted account. `usher account residue KEY` searches for the key.")
}
