import Accounts
import AppFile
import Asking
import CommandLine
import PQ
import Terminal

extension Verb {
    static let accountSearch = Command(
        "account search", summary: "Search the whole database for an id or an email.",
        discussion: """
            usher searches every text, JSON, uuid, array and bytea column of every table, including columns under @ignore. usher also searches for the other ids and emails of a user with this id or email. A deletion removes the key and the emails from the audit log, so \
            take the key from the output of the deletion.

            A number could mean anything, so usher searches only those number columns that refer to users (see --root). -v \
            lists the columns that usher skipped. The exit code is 1 if usher finds data that no line of the app file declares. The exit code is 7 if usher couldn't search a table.
            """,
        arguments: [Argument("TEXT", .text, summary: "An id or an email; upper and lower case don't matter.")],
        options: [AccountOptions.root],
        examples: [
            Example(
                "account search ada@example.com", explains: "Is data about this user still in the database?",
                output: """
                    table       column  rows
                    auth.users  email      1
                    """)
        ], traits: .reports
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) in
        let screen = context.screen
        let isShown = context.showsProgress
        // The search covers the whole database, but an app file for several schemas describes one schema at a time.
        let search = try Accounts.AccountSearch.search(
            invocation.argument("TEXT") ?? "", root: invocation.option("root"), on: try context.connection(),
            candidates: try context.candidates().filter(\.isOfOneSchema), options: context.inquiry
        ) { progress in
            if isShown { screen.status(SafeText("\(progress.searched)/\(progress.tables)  \(progress.table)")) }
        }
        screen.status(nil)
        try SearchView(search: search, context: context).write()
        guard search.isWhole else {
            throw Failure(
                .partial, "usher couldn't search everything",
                details: search.gaps(isWhole: context.options.isVerbose))
        }
        return search.isClean ? .done : .failed
    }
}

struct SearchView {
    let search: Accounts.AccountSearch
    let context: Context

    func write() throws(Failure) {
        try context.writePage(
            json: json, list: "found",
            columns: Column.texts(["table", "column", "rows", "declared"]),
            key: search.found.map { pasted($0.table, $0.column) }.joined(separator: "\n"), screen: lines)
    }

    /// The sentence about the searched columns, and about declared columns that the role can't read.
    private var searched: SafeText {
        let declared = search.unsearched.flatMap { gap in gap.declared.map { pasted(gap.table, $0) } }
        var parts = ["\(search.searched.of("column")) searched for \(search.names.joined(separator: ", "))"]
        if !search.wholeOnly.isEmpty {
            parts.append("\(search.wholeOnly.joined(separator: ", ")) only as a whole value")
        }
        if !declared.isEmpty {
            parts.append("declared columns that your role can't read: \(folded(declared))")
        }
        return SafeText(parts.joined(separator: "; "))
    }

    private func folded(_ columns: [String]) -> String {
        context.options.isVerbose
            ? columns.joined(separator: ", ") : columns.count.of("column") + ", which -v lists"
    }

    private var json: JSON.Members {
        let found = JSON.list(search.found) { place in
            [
                ("table", place.table), ("column", place.column), ("rows", place.rows), ("declared", place.isDeclared),
            ]
        }
        let unsearched = JSON.list(search.unsearched) {
            [("table", $0.table), ("because", $0.because)]
        }
        return [
            ("searched", search.searched), ("found", found), ("unsearched", unsearched), ("clean", search.isClean),
        ]
    }

    private var lines: [SafeText] {
        let end = [searched.dim] + (isKeyKnown ? [] : [Self.noKey])
        if search.found.isEmpty {
            let nothing: SafeText = "Nothing found."
            return [search.isClean && isKeyKnown ? nothing.green : nothing] + end
        }
        let folds = !context.options.isVerbose
        let shown = search.found.filter { !folds || !$0.isDeclared }
        let declared = search.found.filter(\.isDeclared)
        let rows = shown.map { place -> [SafeText] in
            [
                SafeText(pasted(place.table)), SafeText(SQLName.path(of: [place.column])), SafeText("\(place.rows)"),
                place.isCopy
                    ? ("a materialized view: refresh it" as SafeText).dim
                    : place.isDeclared ? ("declared in the app file" as SafeText).dim : "",
            ]
        }
        let table = TextTable(
            columns: [.init("table"), .init("column"), .init("rows", alignment: .right, canShrink: false), .init("")],
            rows: rows)
        var lines = rows.isEmpty ? [] : table.lines(width: context.screen.widthLimit)
        if folds, !declared.isEmpty {
            let count = declared.count.of("column")
            lines.append(SafeText("found in \(count) that the app file declares; -v lists these columns").dim)
        }
        return lines + end
    }

    /// True if usher searched for a key, not only for emails; some tables contain only keys.
    private var isKeyKnown: Bool { search.names.contains { !$0.contains("@") } }

    private static let noKey = SafeText(
        advice:
            "no user has this email now, so usher didn't search for a key; if usher deleted the account, take the key "
            + "from the output of the deletion, and run `usher account search KEY`")
}

extension Accounts.AccountSearch {
    /// The reasons why the search is incomplete: the first three, or all if `isWhole`.
    fileprivate func gaps(isWhole: Bool) -> [String] {
        let all = unsearched.filter(\.declared.isEmpty).map { "\(pasted($0.table)): \($0.because)" }
        guard !isWhole, all.count > 3 else { return all }
        return all.prefix(3) + ["and \(all.count - 3) more, which -v lists"]
    }
}
