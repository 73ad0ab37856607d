import Accounts
import AppFile
import Asking
import Catalog
import Changes
import CommandLine
import Inquiries
import Ledger
import PQ
import Storage
import Terminal

extension Verb {
    static let accountDelete = Command(
        "account delete", summary: "Delete accounts, and verify that nothing is left.",
        discussion: """
            usher deletes the user's row and the rows that depend on it, and verifies that nothing is left. See \
            `usher help deletion`.
            """,
        arguments: [Argument("USER...", .user, summary: "Ids or emails, matched exactly.")],
        options: AccountOptions.choosing + AccountOptions.deleting + [
            Subjects.option(for: "USER"), Subjects.resume(of: "USER", "Continue an interrupted deletion."),
        ],
        examples: [
            Example(
                "account delete ada@example.com --shared detach --reason 'by mail'",
                explains: "Keep shared rows, without references to Ada.",
                output: """
                    17 rows in 10 tables are deleted
                    Deleted and verified. 17 rows deleted. Operation 4bd22912-…
                    """)
        ], grade: .severe, role: "eraser", traits: [.makesChange, .isAskable]
    ).verb(fleetScope: .membersWithTarget) { invocation, context throws(Failure) in
        let command = DeleteCommand(invocation: invocation, context: context)
        if context.options.asks { return try command.request() }
        do throws(Failure) { return try command.perform() } catch  where error.code == Ledger.needsEraser {
            let words = invocation.arguments("USER") + (invocation.option("root").map { ["--root", $0] } ?? [])
            throw error.advising(
                words.isEmpty
                    ? error.hint
                    : "request the deletion with `usher account delete \(words.map(quoteWord).joined(separator: " ")) --request`"
            )
        }
    }
}

extension AccountOptions {
    static let deleting: [Option] = [
        Option(
            "--set NAME=VALUE", .assignment, repeats: true,
            summary: "Set a custom Postgres setting that your triggers read."),
        Option("--archive FILE", .file, summary: "Write an archive for `account restore` to this new file."),
        Option("--batch N", .integer(1...1_000_000), summary: "Delete in several transactions, N rows in each."),
        Option("--build-indexes", summary: "Build missing indexes first, and drop them at the end."),
        Option("--allow-effects", summary: "In a preview (-n), also run triggers that act outside the database."),
    ]

    static func deletion(_ users: [String], _ invocation: Invocation, _ context: Context) throws(Failure)
        -> DeletionRequest
    {
        var deletion = DeletionRequest(try request(users, invocation))
        deletion.reason = context.options.reason
        deletion.ticket = context.options.ticket
        deletion.isDryRun = context.options.isDryRun
        deletion.allowsEffects = invocation.flag("allow-effects")
        deletion.archive = invocation.option("archive")
        deletion.storage = try StorageAPI.ofEnvironment()
        deletion.batch = invocation.integer("batch")
        if context.showsProgress {
            let screen = context.screen
            deletion.progress = { table, rows in screen.status(SafeText("\(table)  \(rows.of("row"))")) }
        }
        deletion.buildsIndexes = invocation.flag("build-indexes")
        for text in invocation.options("set") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            deletion.settings.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
        }
        return deletion
    }
}

/// Runs or requests a deletion: shows the plan, asks for confirmation, and reports the result.
struct DeleteCommand {
    let invocation: Invocation
    let context: Context

    private var options: GlobalOptions { context.options }

    func perform() throws(Failure) -> ExitStatus {
        let resumed = invocation.option("resume")
        var users = try Subjects.read(invocation, argument: "USER", context)
        if users.isEmpty, let resumed {
            let (left, ended) = try DeletionParts.accounts(
                of: resumed, on: try context.connectionToChange(), options: context.inquiry)
            guard let left else { return try report(resumed, endedAt: ended) }
            users = left
        }
        var request = try AccountOptions.deletion(users, invocation, context)
        request.resumes = resumed
        request.isAnswered = options.isDryRun || options.confirmation != nil
        let deletion = try Deletion(
            request, on: try context.connectionToChange(), candidates: try context.candidates(),
            options: context.inquiry, elsewhere: context.connectionOfItsOwn)
        let isShown = context.showsScreen
        let report = try deletion.run { plan, refusal throws(Failure) in
            let screen = AccountPlanView(
                plan: plan, context: context, isRefused: refusal != nil, archive: request.archive
            ).screen
            if isShown { context.screen.write(screen) }
            context.screen.flush()
            if refusal != nil { return }
            if !options.isDryRun { try confirm(plan, isShown: isShown) }
            // Finished batches are committed, so the operator needs the operation id even if the deletion stops early.
            if deletion.isInParts { context.noteOperation(deletion.operation) }
        }
        if let operation = report.operation { context.noteOperation(operation) }
        context.screen.status(nil)
        try DeletionView(report: report, context: context).write()
        try requireComplete(report)
        return .done
    }

    private func report(_ operation: String, endedAt ended: Value?) throws(Failure) -> ExitStatus {
        let when: SafeText = ended.map { " at " + ScreenText(context).value($0) } ?? ""
        try context.writePage(
            json: [("operation", operation), ("ended", ended)], records: [],
            key: operation, screen: ["The deletion ended" + when + "; there is nothing to resume."])
        return .done
    }

    /// Throws if the deletion leaves data about the user.
    private func requireComplete(_ report: DeletionReport) throws(Failure) {
        if report.isComplete { return }
        context.screen.flush()
        let left = left(by: report)
        let hidden = report.plan.hidden.joined(separator: ", ")
        let unknown =
            report.doubts
            + (hidden.isEmpty
                ? [] : ["your role can't read these columns, which could contain the key or the email: \(hidden)"])
        if report.isDryRun {
            throw Failure(
                .partial, "data about the user would be left after the deletion", nothing: .deleted,
                hint: "`usher account plan -v` shows every table", details: left + unknown)
        }
        let problem =
            !left.isEmpty
            ? "found leftovers"
            : report.isSearched ? "could not verify everything" : "could not search for leftovers afterwards"
        let isOfTriggers = unknown.isEmpty && left.count == report.leftByTriggers.count
        throw Failure(
            .partial, "the account is deleted, but usher \(problem)",
            hint: report.filesWhy != nil
                ? "run the same command with the id of the user, so that usher deletes the remaining files"
                : isOfTriggers
                    ? "declare the table in the app file with `@written TABLE : keep` or `remove`, or add --undeclared TABLE=keep"
                    : search(for: report.planned.users), details: left + unknown)
    }

    private func left(by report: DeletionReport) -> [String] {
        var left = report.undeclared.map { "\($0.path): \($0.rows.of("row")), \($0.why)" }
        left += (report.appeared ?? [:]).sorted { $0.key < $1.key }.map { table, rows in
            "\(pasted(table)): the app wrote \(rows.of("row")) during the deletion"
        }
        left += report.leftByTriggers.map { found in
            "\(pasted(found.table)): \(found.rows.of("row")) that triggers wrote; "
                + (found.leftover.map { "\($0) of these rows contain a key or an email of the account" }
                    ?? "your role can't read these rows, so usher can't tell if the rows are about the user")
        }
        if !report.filesLeft.isEmpty {
            let why =
                report.filesWhy?.message
                ?? "set USHER_STORAGE_URL, so that usher deletes the files through the storage API"
            left.append("\(report.filesLeft.count.of("file")) left in the storage: \(why)")
        }
        return left
    }

    /// The hint to search for leftovers by the key; the deletion removed the email from the database.
    private func search(for keys: [String]) -> String {
        let root = invocation.option("root").map { " --root \(quoteWord($0))" } ?? ""
        let command = "`usher account search \(quoteWord(keys.first ?? ""))\(root)`"
        return "\(command) searches the whole database for the key of "
            + (keys.count < 2 ? "the account" : "one account; search for the key of each other account, too")
    }

    /// Asks the operator to type the email, or the number of accounts.
    private func confirm(_ plan: Accounts.AccountPlan, isShown: Bool) throws(Failure) {
        let isOne = plan.users.count == 1
        let archive = invocation.option("archive")
        let confirmation = Confirmation(.severe, of: plan.users.count, names: plan.emails + plan.users)
        try confirmation.ask(
            options, .init(typed: isOne ? "to delete the account" : "to delete the accounts", nothing: .deleted)
        ) {
            context.showBeforeAsking(isShown: isShown) {
                AccountPlanView(plan: plan, context: $0, archive: archive).screen
            }
        }
    }

    /// Requests the deletion, with the refusals and warnings of the app file.
    func request() throws(Failure) -> ExitStatus {
        let given = invocation.options.keys.filter { name in !["from", "request"].contains(name) }
        let own = invocation.command.options.map(\.long).filter { given.contains($0) }
        if let option = own.first {
            throw Failure(
                .usage,
                "--\(option) can't be combined with --request; the approver adds this option to `request approve`",
                hint: "remove --\(option)")
        }
        let users = try Subjects.read(invocation, argument: "USER", context)
        let remarks = try Accounts.AccountPlan.remarks(
            on: AccountRequest(users: users), on: try context.connectionToChange(),
            candidates: try context.candidates(), options: context.inquiry)
        if let refusal = remarks.refusals.first {
            throw Failure(.refused, refusal, nothing: .done, details: Array(remarks.refusals.dropFirst()))
        }
        let plan = context.showsScreen ? RequestView(context: context).planPreview(of: users) : []
        let inquiry = try context.openToChange(isExact: true)
        let (request, role, names) = try NotesAndRequests.requestDeletion(
            of: users, isDryRun: options.isDryRun, reason: options.reason, ticket: options.ticket, in: inquiry,
            elsewhere: context.connectionOfItsOwn)
        if let request { context.noteOperation(request) }
        let (command, text) = (invocation.command.name, ScreenText(context))
        let head =
            SafeText(command).bold + "  " + SafeText(names.joined(separator: ", ")) + "  "
            + SafeText(inquiry.environment.name).dim
        let warnings = remarks.warnings.map { ("! " as SafeText).yellow + text.sentence($0, program: text.program) }
        try context.writePage(
            json: [
                ("request", request), ("role", role), ("command", command), ("dry_run", options.isDryRun),
                ("users", names.count), ("warnings", remarks.warnings.map(\.machineText)),
            ], records: [], key: request ?? "",
            screen: ([head] + warnings).flatMap { $0.wrapped(to: context.screen.widthLimit ?? .max, indent: 2) } + plan
                + ChangeView.requested(request, for: role, context))
        return .done
    }
}
