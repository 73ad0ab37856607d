import Accounts
import AppFile
import Asking
import Changes
import CommandLine
import PQ
import Terminal

extension Verb {
    static let accountDelete = Verb(
        Command(
            path: ["account", "delete"], summary: "Delete accounts completely, and prove it.",
            discussion: """
                Plans as `account plan` does, asks for the address, and deletes in one transaction: by the database's own \
                cascade where that is enough, else children before parents, circles in one statement. Before it commits it \
                looks whether anything is left, and again afterwards; only then is the deletion verified. The audit keeps \
                numbers and the reason, and forgets what was done about the person. It needs the role usher_eraser; --ask asks whoever \
                has it, and the deletion answers that request.

                Rows that others share refuse, until --collateral says what becomes of them. So do columns that hold the person, or \
                refer to rows that go, although nothing declares it: `account plan` lists them, and --suspected answers for \
                them, unless a line of the app file settles them. Their rows then belong to the account like all others: \
                --suspected delete is for all columns, --suspected public.visits.user_id=keep for one, and with the name of a \
                table for all of its columns and what triggers write into it. What others wrote is emptied for a mention of \
                the person only with --collateral delete. A row that the account refers \
                to, such as a person's record, goes too where nobody else refers to it, with all that hangs on it; it is listed.

                What the database's triggers write meanwhile is kept and listed. What @keep and @anonymise say of a table is \
                about rows that hold the person; others that refer to what goes lose that reference and nothing else. \
                With --archive usher also tests the archive: in the same transaction it restores the rows as `account restore` \
                would, and rolls that back. If a row can't be restored, the deletion is refused.

                Nothing tells of a digest of an address, of a number inside of a composite value or a range, nor of which \
                table is meant by a number where several schemas have one of that name: those are not found.

                Columns that names and keys make candidates are looked into; --thorough searches all texts besides, which \
                `account residue` does at any time. The last line says how many columns were searched, and how many texts not.

                With -n everything really runs and is rolled back, with the exit code that it would have. Exit 7 when the rows \
                are gone and something remains: rows that the app wrote meanwhile, rows of triggers in which the person is, \
                stored files. With USHER_STORAGE_URL and USHER_STORAGE_KEY_FILE set, the storage API is asked to \
                remove the files after the commit; what it did not remove is written down, and --resume asks it again. usher has no \
                TLS, so the URL must be http:// and a loopback address (127.0.0.1, [::1] or localhost): for a store elsewhere, run a \
                TLS proxy to it on this machine, such as stunnel.

                A statement may take ten minutes, or what --timeout says. With --batch the whole is one operation, which \
                `audit list` shows as running until the same command with --resume has ended it, by what it began with, \
                answers and --thorough, unless others are given; --set is given again, since no record holds its values; the plan says which rows cannot go before its last transaction.
                """,
            arguments: [
                Argument(name: "USER", kind: .user, arity: .many, summary: "Ids or e-mail addresses, matched exactly.")
            ],
            options: AccountOptions.choosing + AccountOptions.deleting + [Subjects.option(for: "USER"), resume],
            examples: [
                Example(
                    command: "account delete ada@example.com --reason 'asked for it'", explains: "After the question."),
                Example(
                    command: "account delete 42 --root public.users --confirm 42",
                    explains: "In a script, without an app file."),
                Example(
                    command: "account delete 42 --suspected delete --suspected public.invoices.customer=keep",
                    explains: "Undeclared columns go, and one stays."),
                Example(command: "account delete ada@example.com -n", explains: "Would it work? Runs and rolls back."),
            ], grade: .severe, role: "eraser", traits: [.makesChange, .isAskable]), reach: .everyHolder
    ) { invocation, context throws(Failure) in
        if context.options.asks { return try AskForDeletion(invocation: invocation, context: context).perform() }
        return try DeleteCommand(invocation: invocation, context: context).perform()
    }
}

extension Verb {
    fileprivate static let resume = Option(
        long: "resume", value: .init(placeholder: "ID", kind: .named("operation")),
        summary: "Go on with a deletion that was interrupted, or with the files that it left to the store.",
        supplies: "USER", allowsSupplied: true)
}

extension AccountOptions {
    static let deleting: [Option] = [
        Option(
            long: "set", value: .init(placeholder: "NAME=VALUE", kind: .assignment), repeats: true,
            summary: "A custom setting of the transaction that triggers ask for, such as request.jwt.claim.sub=ID."),
        Option(
            long: "archive", value: .init(placeholder: "FILE", kind: .file),
            summary: "Write what `account restore` needs, readable by the owner alone; never over an existing file."),
        Option(
            long: "files", value: .init(placeholder: "FILE", kind: .file),
            summary: "List the stored files there, one JSON object a line; never over an existing file."),
        Option(
            long: "batch", value: .init(placeholder: "N", kind: .integer(1...1_000_000)),
            summary: "Delete so many rows a transaction, for big accounts; --resume goes on with it."),
        Option(long: "build-indexes", summary: "Build the indexes that are missing first, and drop them afterwards."),
        Option(
            long: "allow-effects",
            summary: "Let a dry run, or the test of an archive, call triggers that reach outside the transaction."),
    ]

    static func erasure(_ users: [String], _ invocation: Invocation, _ context: Context) throws(Failure)
        -> ErasureRequest
    {
        var erasure = ErasureRequest(try request(users, invocation))
        erasure.reason = context.options.reason
        erasure.ticket = context.options.ticket
        erasure.isDryRun = context.options.isDryRun
        erasure.allowsEffects = invocation.flag("allow-effects")
        erasure.archive = invocation.option("archive")
        erasure.fileList = invocation.option("files")
        erasure.storage = try StorageAPI.ofEnvironment()
        erasure.batch = invocation.integer("batch")
        if context.showsProgress {
            let screen = context.screen
            erasure.progress = { table, rows in screen.status(SafeText("\(table)  \(rows) rows")) }
        }
        erasure.buildsIndexes = invocation.flag("build-indexes")
        for text in invocation.options("set") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            erasure.settings.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
        }
        return erasure
    }
}

/// Takes a deletion from its plan over the question to what became of it.
struct DeleteCommand {
    let invocation: Invocation
    let context: Context

    private var options: GlobalOptions { context.options }

    func perform() throws(Failure) -> ExitStatus {
        let context = context
        let resumed = invocation.option("resume")
        var users = try Subjects.read(invocation, argument: "USER", context)
        if users.isEmpty, let resumed {
            let (left, ended) = try Erasure.Parts.accounts(
                of: resumed, on: try context.connectionToChange(), options: context.inquiry)
            guard let left else { return try removeFiles(of: resumed, ended: ended) }
            users = left
        }
        var request = try AccountOptions.erasure(users, invocation, context)
        request.resumes = resumed
        request.isAnswered = options.isDryRun || options.confirmation != nil
        let erasure: Erasure
        do throws(Failure) {
            erasure = try Erasure.open(
                request, on: try context.connectionToChange(), candidates: try context.candidates(),
                options: context.inquiry
            ) { () throws(Failure) in try context.connectionOfItsOwn() }
        } catch {
            throw error.kind == .notFound ? withFilesLeft(error) : error.ofDeletion
        }
        let isShown = context.showsScreen
        let command = self
        let judge: Erasure.Judge = { plan, refusal throws(Failure) in
            let screen = AccountPlanView(plan, context).screen(isRefused: refusal != nil, archive: request.archive)
            if isShown { context.screen.write(screen) }
            context.screen.flush()
            if let refusal { throw refusal }
            if !command.options.isDryRun { try command.confirm(plan, isShown: isShown) }
        }
        if let plan = erasure.plan {
            try erasure.recording { () throws(Failure) in try judge(plan, erasure.refusal(of: plan)) }
        }
        // Batches last one by one, so the whole is worth knowing even when it is cut short.
        if erasure.isInParts { context.noteOperation(erasure.operation) }
        let report = try erasure.run(judge: judge)
        if let operation = report.operation { context.noteOperation(operation) }
        context.screen.status(nil)
        let view = ErasureView(report, context)
        try context.report { () throws(Failure) in
            if isShown { context.screen.write(view.conclusion) } else { try view.write() }
        }
        return try status(of: report)
    }

    /// Done only if nothing is left; what remains is said once more, where errors are said.
    private func status(of report: ErasureReport) throws(Failure) -> ExitStatus {
        if report.isComplete || report.isDryRun && report.wouldBeComplete { return .done }
        context.screen.flush()
        let (left, unknown) = (left(by: report), unknown(of: report))
        if report.isDryRun {
            throw Failure(
                .partial, "the account's rows would go, and something would remain", nothing: .deleted,
                hint: "`usher account plan` shows the whole", details: left + unknown)
        }
        let complaint: String
        if !report.commitWarnings.isEmpty {
            complaint = "the account's rows are gone, and the server warned as it committed"
        } else if !left.isEmpty {
            complaint = "the account's rows are gone, and something remains"
        } else if report.isSearched {
            complaint = "the deletion is committed, and not all of it could be verified"
        } else {
            complaint = "the deletion is committed, and usher could not search for leftovers afterwards"
        }
        let isOfTriggers = unknown.isEmpty && left.count == report.leftByTriggers.count
        throw Failure(
            .partial, complaint,
            hint: report.filesWhy != nil
                ? "`usher account delete --resume \(report.operation ?? "")` asks the store again"
                : isOfTriggers
                    ? "`@written TABLE : keep`, or remove, in the app file says what becomes of such rows; --suspected TABLE=keep once"
                    : search(for: report.planned.users), details: left + unknown)
    }

    /// What is known to be left of the account.
    private func left(by report: ErasureReport) -> [String] {
        var left = (report.isDryRun ? report.plan.suspects : report.suspects).map {
            "\($0.path): \($0.rows.of("row")), \($0.why)"
        }
        left += (report.appeared ?? []).map { table, rows in
            "\(pasted(table)): the app wrote \(rows.of("row")) during the deletion"
        }
        left += report.leftByTriggers.map { found in
            "\(pasted(found.table)): \(found.rows.of("row")) that triggers wrote; \(found.why?.words ?? "")"
        }
        if !report.filesLeft.isEmpty {
            let why =
                report.filesWhy?.words
                ?? "which only the storage API removes; set USHER_STORAGE_URL to have it called"
            left.append("\(report.filesLeft.count.of("file")) in the store: \(why)")
        } else if let why = report.filesWhy {
            left.append("the files: \(why.words)")
        }
        return left
    }

    /// What could not be searched, or is otherwise not known.
    private func unknown(of report: ErasureReport) -> [String] {
        let hidden = report.hidden.joined(separator: ", ")
        return report.doubts.map(\.words)
            + (hidden.isEmpty ? [] : ["this role may not see whether they hold the person: \(hidden)"])
    }

    /// The command that searches for what is left: by the key, since the audit log has forgotten the email.
    private func search(for keys: [String]) -> String {
        let root = invocation.option("root").map { " --root \(quoteWord($0))" } ?? ""
        let command = "`usher account residue \(quoteWord(keys.first ?? ""))\(root)`"
        if keys.count < 2 { return "\(command) searches the whole database for the key of the account" }
        let (others, most) = (keys.dropFirst(), 10)
        let rest = others.count > most ? " and \(others.count - most) more" : ""
        return "\(command) searches the whole database for one of the accounts; the other keys are "
            + others.prefix(most).joined(separator: ", ") + rest
    }

    /// Has the operator type the address, or the number for many.
    private func confirm(_ plan: Accounts.AccountPlan, isShown: Bool) throws(Failure) {
        let isOne = plan.users.count == 1
        let archive = invocation.option("archive")
        let confirmation = Confirmation(
            .severe, answers: isOne ? plan.addresses + plan.users : ["\(plan.users.count)"])
        try confirmation.ask(
            options, .init(typed: isOne ? "to delete the account" : "to delete the accounts", nothing: .deleted)
        ) {
            context.showBeforeAsking(isShown: isShown) { AccountPlanView(plan, $0).screen(archive: archive) }
        }
    }
}
