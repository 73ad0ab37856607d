package import Acts
package import AppFile
package import Asking
internal import Catalog
internal import Ledger
package import PQ
package import Storage
internal import Terminal

package struct DeletionRequest: Sendable {
    package var account: AccountRequest
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// Custom settings for triggers, set in the transaction.
    package var settings: [(name: String, value: String)] = []
    /// True if a dry run may fire triggers with effects outside the transaction.
    package var allowsEffects = false
    package var storage: StorageAPI?
    package var batch: Int?
    package var resumes: String?
    /// Called after each batch, with a table and the number of its deleted rows.
    package var progress: @Sendable (String, Int) -> Void = { _, _ in }
    package var archive: String?
    /// True to build missing indexes first, and drop them afterwards.
    package var buildsIndexes = false
    /// True if usher asks no person to agree to the plan.
    package var isAnswered = false

    /// True for a deletion in batches, also if it is resumed.
    var isInParts: Bool { batch != nil || resumes != nil }

    package init(_ account: AccountRequest) { self.account = account }

    /// True if the reason or the ticket contains a key or an email of a user, which the audit log would then keep.
    ///
    /// Keys of up to three characters, and numbers inside longer numbers, do not count.
    func names(_ plan: AccountPlan) -> Bool {
        let needles = Set((plan.users + plan.emails).map { $0.lowercased()[...] }.filter { $0.utf8.count > 3 })
        let lengths = Set(needles.map(\.count))
        return [reason, ticket].compactMap { $0?.lowercased() }.contains { text in
            let numbers = text.split { !$0.isNumber }
            // The text is short, so a look-up of each of its parts is faster than a search for each of many keys.
            let parts = text.indices.lazy.flatMap { start in lengths.lazy.map { text[start...].prefix($0) } }
            return parts.contains { needles.contains($0) && (!$0.allSatisfy(\.isNumber) || numbers.contains($0)) }
        }
    }

    /// The options as the audit log records them, without the values of settings.
    var arguments: [(String, String?)] { settings.map { ("set " + $0.name, "…") } + account.arguments }

    /// Refuses `--archive` with `--batch`, and `--set` for settings of Postgres, of Supabase Storage or of usher.
    func requirePossible() throws(Failure) {
        if archive != nil, isInParts {
            throw Failure(
                .usage, "a deletion in batches can't write an archive", hint: "use either --archive or --batch")
        }
        if let archive { try PrivateFile.requireNone(at: archive) }
        for (name, _) in settings {
            let folded = name.lowercased()
            let parts = SQLName.parts(ofPath: folded) ?? []
            let isCustom = parts.count > 1 && parts.joined(separator: ".") == folded
            if isCustom, ![Platform.storage, "usher"].contains(parts[0]) { continue }
            throw Failure(
                .usage, "--set \(name): only custom settings are allowed, except storage.* and usher.*",
                hint: "the name of a custom setting contains a dot, such as request.jwt.claim.sub")
        }
    }

    /// Refuses to start an unfinished deletion again, and to resume any other operation.
    func requireResumed(_ unfinished: String?) throws(Failure) {
        if let unfinished, resumes == nil {
            throw Failure(
                .conflict, "operation \(unfinished) already began this deletion and is not finished",
                hint: "continue with the same command and --resume \(unfinished)")
        }
        guard let resumes, unfinished != resumes else { return }
        throw Failure(
            .usage, "operation \(resumes) is not an unfinished deletion of these accounts",
            hint: "`usher audit list` shows unfinished deletions")
    }
}

/// A deletion of accounts, from the plan to the report.
///
/// No transaction is open while the operator reads the plan. If usher asks no person, the transaction of the run makes the
/// only plan.
package final class Deletion {
    /// The plan of the whole deletion; nil until the run makes the plan.
    private var plan: AccountPlan?
    let request: DeletionRequest
    let start: AccountStart
    let runner: ActRunner
    /// The operation id; a resumed deletion has the id of the interrupted deletion.
    package let operation: String
    package let isInParts: Bool
    var parts: DeletionParts

    /// Shows a plan, and the refusal if usher refuses the deletion; throws to stop the deletion.
    package typealias Review = (_ plan: AccountPlan, _ refusal: Failure?) throws(Failure) -> Void

    /// Makes the plan if it is needed before the run, and refuses a deletion that can't be done or recorded.
    package init(
        _ request: DeletionRequest, on connection: Connection, candidates: [App], options: InquiryOptions,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) {
        try request.requirePossible()
        let transaction: ReadTransaction
        (start, transaction) = try AccountStart.open(
            request.account, on: connection, candidates: candidates, options: options)
        self.request = request
        runner = ActRunner(on: connection, options: options, elsewhere: elsewhere)
        isInParts = !request.isDryRun && request.isInParts
        let answers = try failing { () throws(PQError) in
            try transaction.read([Ledger.question, ReadOnlySession.question], isLast: false)
        }
        try ReadOnlySession.requireNone(answers[1])
        var unfinished: DeletionParts?
        // A dry run doesn't need the audit log, unless it resumes a deletion.
        if !request.isDryRun || request.resumes != nil {
            let installation = try Ledger.installation(answers[0])
            if !request.isDryRun { try Ledger.require(installation, for: .accounts) }
            if request.isInParts { try Ledger.require(installation, for: .reading) }
            if installation?.isReadable == true {
                unfinished = try DeletionParts.unfinished(start.root, asking: transaction.ask)
            }
            try request.requireResumed(unfinished?.operation)
        }
        if !request.isDryRun { try start.environment.requireReason(request.reason != nil, for: "deletion") }
        if !request.isAnswered || request.buildsIndexes || request.isInParts {
            plan = try AccountPlan(of: start, asking: transaction.ask)
            plan?.isInParts = request.isInParts
            plan?.buildsIndexes = request.buildsIndexes
        }
        parts = request.isDryRun ? DeletionParts() : unfinished ?? DeletionParts()
        operation = parts.operation ?? OperationID.make()
        // Without a plan for the operator, the transaction of the run follows at once.
        if plan == nil { transaction.leaveOpen() } else { try failing { () throws(PQError) in try transaction.end() } }
    }

    /// Deletes the accounts; a dry run rolls the deletion back.
    ///
    /// usher records a refusal or failure; a deletion in batches writes other records.
    package func run(review: Review = { _, _ throws(Failure) in }) throws(Failure) -> DeletionReport {
        try runner.recording(
            { failure, outcome in
                isInParts || request.isDryRun ? nil : entry(.erasure, outcome, of: plan, because: failure)
            },
            { () throws(Failure) in
                if let plan { try agree(to: plan, review) }
                return try runWithHelpers(review)
            })
    }

    private func agree(to plan: AccountPlan, _ review: Review) throws(Failure) {
        self.plan = plan
        do throws(Failure) { try requirePossible(plan) } catch {
            try review(plan, error)
            throw error
        }
        try review(plan, nil)
    }

    /// Builds helper indexes, deletes the accounts, and drops the indexes.
    ///
    /// If the connection is lost, usher drops the indexes on another connection.
    private func runWithHelpers(_ review: Review) throws(Failure) -> DeletionReport {
        let helpers = plan?.helpers ?? []
        func drop() -> [String] {
            helpers.filter { helper in
                !helper.drop(on: runner.connection) && (try? runner.elsewhere()).map(helper.drop) != true
            }.map {
                "usher built the index \($0.qualifiedName), but could not drop it: run `drop index \($0.qualifiedName)`"
            }
        }
        var report: DeletionReport
        do throws(Failure) {
            let connection = try runner.alive()
            for helper in helpers { try helper.build(on: connection) }
            report = try runParts(review)
        } catch {
            throw error.adding(drop())
        }
        report.remarks += drop()
        return report
    }

    /// Deletes batches of rows if the operator gives `--batch`, then the rest of the account.
    private func runParts(_ review: Review) throws(Failure) -> DeletionReport {
        if isInParts, parts.operation == nil, let plan { try begin(plan) }
        do throws(Failure) {
            if isInParts, let size = request.batch, let plan { try runBatches(of: size, plan) }
            var report = try delete(review)
            report.add(parts)
            return report
        } catch {
            guard isInParts else { throw error }
            if error.fate != .unknown { recordStop(error) }
            guard !parts.deleted.isEmpty else { throw error }
            throw Failure(
                error.kind == .interrupted ? .interrupted : .partial,
                "\(error.complaint.plain); the deletion is not finished, but some batches of rows are deleted",
                hint: "continue with the same command and --resume \(operation); "
                    + "`usher audit show \(operation)` shows what was deleted",
                state: error.state, details: error.details)
        }
    }

    /// Deletes in one transaction; retries if another session just inserted a row that refers to a deleted row.
    private func delete(_ review: Review) throws(Failure) -> DeletionReport {
        let terms = ActRunner.Terms(
            mostRetries: 4, collisions: SQLState.collisions.union([.foreignKeyViolation]),
            timeout: runner.options.patientTimeout, nothing: .deleted)
        // `PrivateFile` removes the archive file unless it is closed after the commit.
        var archive: PrivateFile?
        let end: (value: DeletionReport, warnings: [Notice])
        do throws(Failure) {
            end = try runner.run(terms) { (transaction) throws(Failure) in
                archive = nil
                var attempt = try Attempt(self, in: transaction)
                if plan == nil { try agree(to: attempt.account, review) }
                return try attempt.run(as: plan ?? attempt.account, keeping: &archive)
            }
        } catch {
            guard error.fate == .unknown, let archive else { throw error }
            // The commit may have happened, so usher keeps the archive.
            try archive.close()
            throw error.adding(["usher kept the archive \(archive.path), because the rows may have been deleted"])
        }
        var report = end.value
        report.commitWarnings = end.warnings
        if report.isDryRun {
            // The storage API removes the files after the commit, so a dry run reports no files as left.
            if request.storage != nil { report.filesLeft = [] }
            return report
        }
        // `keep` already synced the archive before the commit, so an error here is harmless.
        try? archive?.close()
        searchLeftovers(&report)
        if let storage = request.storage, !report.filesLeft.isEmpty {
            (report.filesLeft, report.filesWhy) = StoredFile.remove(report.filesLeft, from: storage)
        }
        return report
    }

    /// Searches for leftovers after the commit, because the app can insert rows without a foreign key at any time.
    private func searchLeftovers(_ report: inout DeletionReport) {
        do throws(Failure) {
            let transaction = ReadTransaction(
                on: try runner.alive(), settings: .init(timeout: runner.options.patientTimeout))
            // The report already contains the rows of triggers that a line of the app file keeps.
            let kept = report.written.filter { !$0.isRemoved && $0.leftover == 0 }.map { ($0.table, $0.rows) }
            let known = Dictionary(kept, uniquingKeysWith: +)
            let (plan, model) = (report.plan, report.plan.model)
            let remaining = try plan.appeared(asking: transaction.ask).map { (model.name($0.key), $0.value) }
            report.appeared = Dictionary(remaining, uniquingKeysWith: +).filter { $0.value > known[$0.key] ?? 0 }
            report.undeclared = try plan.undeclaredLeft(asking: transaction.ask).filter {
                $0.rows > known[$0.table] ?? 0
            }
            try? transaction.end()
        } catch {
            report.doubt =
                "the accounts are deleted, but usher couldn't search for leftovers afterwards: \(error.message)"
        }
    }

    /// Deletes most rows of a big account in short transactions of N rows, before the last transaction.
    ///
    /// The batches of a table use the keys of a plan made before its first batch. The last transaction deletes
    /// the users' rows and the rows that conditions of other tables read. It also changes kept rows. `--resume` continues
    /// an interrupted deletion.
    private func runBatches(of size: Int, _ plan: AccountPlan) throws(Failure) {
        var emptied: Set<UInt32> = []
        for table in plan.closure.order.joined() where plan.isFree(table, emptied) {
            // Since the plan, another session may have given rows to a user who stays.
            let transaction = ReadTransaction(
                on: try runner.alive(), settings: .init(timeout: runner.options.patientTimeout))
            let now = try AccountPlan(of: start, asking: transaction.ask)
            try? transaction.end()
            try now.requireSame(as: plan)
            let before = parts.deleted[now.model.name(table)] ?? 0
            while try batch(of: size, table, now) == size {}
            let all = (parts.deleted[now.model.name(table)] ?? 0) - before
            if all == now.closure.found[table]?.rows ?? 0 { emptied.insert(table) }
        }
    }

    /// Deletes one batch in a transaction; returns 0 if the server refuses to delete these rows alone.
    private func batch(of size: Int, _ table: UInt32, _ plan: AccountPlan) throws(Failure) -> Int {
        guard let statement = plan.batch(of: size, table) else { return 0 }
        let name = plan.model.name(table)
        let terms = ActRunner.Terms(timeout: runner.options.patientTimeout)
        typealias Batch = (rows: Int, deleted: Int, written: [TriggerRows.Found])
        let done = try runner.run(terms) { (transaction) throws(Failure) -> ActRunner.Step<Batch> in
            try set(in: transaction)
            let before = try transaction.counters(everywhere: plan.model.graph.isSpread)
            let outcome = try transaction.attempt([statement, "set constraints all immediate"])
            let rows = (try? outcome.get())?[0].affected ?? 0
            if rows == 0 { return .left((0, 0, [])) }
            var triggers = TriggerRows(account: plan, transaction: transaction)
            try triggers.find(since: before, except: [table: .init(deleted: rows)])
            let written = try triggers.found()
            // The report of a resumed deletion would not show leftovers of this batch. But a later batch may delete changed rows.
            let left = written.first { found in
                let later = found.isChanged ? plan.rows(under: .delete)[found.table] ?? 0 : 0
                return found.leftover.map { $0 > later } ?? true
            }
            if let left { throw Self.refusal(left) }
            // A cascade inside the table deletes other rows of the account.
            let deleted = rows + max(0, triggers.counts[table]?.deleted ?? 0)
            let entry = entry(.batch, counting: [.delete: [name: deleted]])
            try transaction.run([Ledger.part(.batch, entry)])
            return .done((rows, deleted, written.filter { $0.leftover == 0 }), entry)
        }
        let (rows, deleted, written) = done.value
        if rows == 0 { return 0 }
        parts.deleted[name, default: 0] += deleted
        parts.written += written
        parts.warnings += done.warnings
        request.progress(name, parts.deleted[name] ?? 0)
        return rows
    }

    private static func refusal(_ found: TriggerRows.Found) -> Failure {
        let name = pasted(found.table)
        return Failure(
            .refused,
            "triggers write rows into \(name) that "
                + (found.leftover == nil
                    ? "this role can't read, so usher can't tell if they are about the user"
                    : "contain a key or an email of the account"),
            hint: "declare the table in the app file with `@written \(name) : keep` or `remove`, "
                + "add --undeclared \(name)=keep, or remove --batch")
    }

    /// Refuses the deletion before usher asks the operator to confirm.
    ///
    /// The first refusal lists all problems at once: obstacles, missing rights, shared rows without an answer, and
    /// undeclared columns that contain the user's key or email.
    func requirePossible(_ plan: AccountPlan) throws(Failure) {
        if !plan.blocking().isEmpty { throw Failure(blocked: plan) }
        let tables = request.batch == nil ? [] : plan.closure.tables + plan.staying.filter { !$0.value.isEmpty }.keys
        let decided = Set(tables.filter(plan.model.hasConditions)).map(plan.model.name).sorted()
        if !decided.isEmpty {
            throw Failure(
                .refused,
                "SQL of a line selects or changes rows of \(pasted(decided)), and batches could change its result",
                hint: "remove --batch, so that usher deletes all rows in one transaction")
        }
        if plan.isRootGone, request.archive != nil {
            throw Failure(
                .usage, "the user's own row is already deleted, so a restore could not bring the account back",
                hint: "remove --archive")
        }
        if request.isDryRun, !request.allowsEffects, !plan.outsideEffects.isEmpty {
            throw Failure(
                .refused, "a dry run can have lasting effects: \(plan.outsideEffects[0])",
                hint: "add --allow-effects to accept these effects; `usher account plan` doesn't fire triggers",
                details: Array(plan.outsideEffects.dropFirst()))
        }
        if request.names(plan) {
            throw Failure(
                .refused,
                "the reason or the ticket contains a key or an email of the user, and the audit log would keep this text",
                hint: "change --reason or --ticket so that it contains no key and no email of the user")
        }
    }
}

/// A helper index for a foreign key; usher drops it after the deletion.
struct HelperIndex {
    let reference: Graph.Reference
    let table: Graph.Table

    /// The name contains the oid of the foreign key, so that a later run finds an index that was not dropped.
    private var name: Identifier { Identifier("usher_helper_\(reference.oid)") }
    var qualifiedName: String { "\(table.schema).\(name.name)" }

    func build(on connection: Connection) throws(Failure) {
        drop(on: connection)
        let list = reference.columns.map { Identifier($0.name).quoted }.joined(separator: ", ")
        do throws(PQError) {
            _ = try connection.execute(
                "create index concurrently \(name) on \(unsafe: table.sql) (\(unsafe: list))")
        } catch {
            guard case .server(let server) = error else { throw Failure(error) }
            drop(on: connection)
            let statement = indexStatement(on: table.sql, isPartitioned: table.isPartitioned, keys: list)
            throw Failure(
                .refused, "can't build an index on \(pasted(table.qualifiedName)): \(server.message)",
                nothing: .deleted, hint: "ask the owner of the table to run: \(statement)", state: server.state)
        }
    }

    /// Drops the index; returns false on failure.
    @discardableResult
    func drop(on connection: Connection) -> Bool {
        try? connection.rollbackIfOpen()
        return (try? connection.execute("drop index concurrently if exists \(Identifier(table.schema)).\(name)")) != nil
    }
}

extension AccountPlan {
    /// True if rows of a table can be deleted before the last transaction, because no other rows depend on them.
    ///
    /// usher finds the remaining rows again by the rows that they refer to. So rows of other tables that refer to these rows
    /// must be in `emptied` tables. A foreign key that cascades inside the table deletes dependent rows at once.
    fileprivate func isFree(_ table: UInt32, _ emptied: Set<UInt32>) -> Bool {
        guard let relation = model.graph.tables[table], !model.isUser(table), !relation.isDistributed,
            !relation.asksElsewhere, (staying[table]?.changed ?? 0) == 0
        else { return false }
        let isReferred = model.edges(to: table).contains { edge in
            if edge.child == table { return edge.effect == .delete && !edge.cascades }
            return (staying[edge.child]?.changed ?? 0) > 0
                || (closure.found[edge.child]?.rows ?? 0) > 0 && !emptied.contains(edge.child)
        }
        let isOwner = model.owned.contains { model.edges[$0].child == table || model.edges[$0].parent == table }
        return !isReferred && !isOwner
    }

    /// The statement that deletes one batch of rows of a table.
    fileprivate func batch(of size: Int, _ table: UInt32) -> Query? {
        var bindings = Bindings()
        guard let relation = model.graph.tables[table], let goes = conditions.goes(table, &bindings) else { return nil }
        // The DELETE selects its rows itself, because a ctid is valid only within one statement.
        let sql = """
            delete from \(relation.ownRows) d
             using (select t.tableoid as p, t.ctid as c from \(relation.ownRows) t where \(goes) limit \(size)) b
             where d.tableoid = b.p and d.ctid = b.c
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    /// The helper indexes of this deletion, if the operator wants them.
    var helpers: [HelperIndex] {
        if !buildsIndexes { return [] }
        return slowSearches.map(\.edge).compactMap(\.reference).compactMap { reference in
            model.graph.tables[reference.table].map { HelperIndex(reference: reference, table: $0) }
        }
    }
}
