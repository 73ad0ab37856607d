internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

extension Erasure {
    /// One run of a deletion: locks, looks, deletes and verifies.
    struct Attempt {
        let request: ErasureRequest
        /// What was shown before; the run has to come to about the same.
        let plan: AccountPlan?
        let start: AccountStart
        let environment: String
        let facts: Row?
        let appName: String?
        /// The database, as an archive names it.
        let database: String
        let transaction: ActTransaction
        /// Links whose rows have to be deleted, since they refused to be detached.
        let forced: Set<Int>
        /// Whether what the account adds to the app's own queue is still to be added.
        let adds: Bool
        /// Whether all rows that others refer to are locked before anything is deleted.
        ///
        /// The root always is. For the rest the server notices what comes in between, as a collision, and to lock them costs a
        /// fifth of the deletion: it is for when that has happened.
        let locksRows: Bool
        let elsewhere: Elsewhere
        /// Judges what was found, and says what to record; without that everything is taken back.
        let judge: (AccountPlan) throws(Failure) -> Opening?

        /// What is recorded of a deletion before anything goes, and of one in parts that it has ended.
        typealias Opening = (entry: Ledger.Entry, end: Ledger.Entry?)

        enum Outcome {
            /// Everything is to be taken back.
            case tried(ErasureReport, FoundAccount)
            case deleted(ErasureReport, FoundAccount, Ledger.Entry, archive: PrivateFile?)
            /// Somebody else holds these locks.
            case locked([String])
            /// Rows refused to be detached: once more, deleting them.
            case again(Set<Int>)
        }

        func run() throws(Failure) -> Outcome {
            try prepare()
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let account = try FoundAccount(
                of: start, request.account, deleting: forced, known: plan?.held, isForLater: true,
                archives: request.archive != nil, asking: ask)
            try account.requireUsers(asking: ask)
            let found = account.plan(environment: environment, facts: facts)
            if let plan, forced.isEmpty { try requireSame(found, as: plan) }
            let opening = try judge(found)
            // Nothing may be written before it, and to lock a row is to write.
            var opened: Opened?
            if let opening {
                let (deletion, locks) = try open(opening)
                guard let deletion else { return .locked(locks) }
                opened = deletion
            }
            try transaction.run(lockRoot(account.map.graph))
            if locksRows { try lockRows(of: account) }
            let before = try before(account, opened)
            var detachment = Detachment(account: account, transaction: transaction)
            let stubborn = try detachment.run()
            if !stubborn.isEmpty { return .again(forced.union(stubborn)) }
            try Verification(account: account).requireFreed(asking: ask)
            var ladder = Ladder(account, in: transaction)
            try ladder.climb()
            let report = try verify(before, &detachment, ladder)
            let seal = try before.archive?.end(report, detachment.moved)
            try before.archive?.requireRestorable(resetting: request.settings.map(\.name))
            try before.archive?.file.keep()
            guard let entry = opened?.entry else { return .tried(report, account) }
            if let seal {
                try transaction.run([Ledger.part(.archive, Archive.entry(of: entry, seal: seal))])
            }
            return .deleted(report, account, entry, archive: before.archive?.file)
        }

        /// What is known, added and written before anything goes, to be held against what came of it.
        private struct Before {
            let account: FoundAccount
            let opened: Opened?
            let counters: ChangeCounters
            let added: [QueuedRows]
            let outbox: StoredFiles.Outbox
            let archive: ArchiveWriter?
            /// Identifiers of rows that go, by which others are told from what is left.
            let keys: [String]
        }

        private func before(_ account: FoundAccount, _ opened: Opened?) throws(Failure) -> Before {
            let counters = try transaction.counters(of: account.map.graph)
            let added = adds ? try QueuedRows.add(start, account.closure, in: transaction) : []
            let outbox = StoredFiles.Outbox(of: opened?.entry.whole ?? "", files: files(account))
            if opened != nil, request.storage != nil, !outbox.files.isEmpty {
                try transaction.run([Ledger.part(.files, outbox.entry(app: appName))])
            }
            return Before(
                account: account, opened: opened, counters: counters, added: added, outbox: outbox,
                archive: try archive(account, claim: opened?.claim, added),
                keys: try WrittenRows.keys(of: account) { queries throws(Failure) in try transaction.ask(queries) })
        }

        /// Writes the archive that was asked for, for a dry run too; it goes again unless it is closed.
        private func archive(
            _ account: FoundAccount, claim: String?, _ added: [QueuedRows]
        ) throws(Failure) -> ArchiveWriter? {
            guard let path = request.archive else { return nil }
            let writer = try ArchiveWriter(
                account: account, transaction: transaction, file: try PrivateFile(path), elsewhere: elsewhere)
            try writer.write(claim: claim, database: database, added)
            return writer
        }

        /// The stored files of the account; those that were planned count too, since batches delete what may lead to them.
        private func files(_ account: FoundAccount) -> [StoredFiles.File] {
            let planned = plan?.files.files ?? []
            let known = Set(planned)
            return planned + account.files.files.filter { !known.contains($0) }
        }

        // MARK: Before

        private func prepare() throws(Failure) {
            let declared = try transaction.look([Environment.query])[0]
            guard Environment(declared).name == environment else {
                throw Failure(ErasureRefusal.otherEnvironment)
            }
            try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
        }

        /// Locks rows that others refer to, in the order of their keys, so that nobody adds to what is being deleted.
        private func lockRows(of account: FoundAccount) throws(Failure) {
            let map = account.map
            var steps: [Query] = []
            for table in account.closure.deletionOrder.reversed().joined() where map.linksByParent[table] != nil {
                if map.graph.tables[table]?.isDistributed == true { continue }
                steps += lock(table, map.graph) { bindings in account.closure.condition(of: table, &bindings) }
            }
            try transaction.run(steps)
        }

        /// Locks the rows that are the users; on other servers one row is locked at a time.
        private func lockRoot(_ graph: Graph) -> [Query] {
            let root = start.root
            let isApart = graph.tables[root.oid]?.isDistributed == true
            let lists = isApart ? root.values.map { BoundValue([$0], of: root.type) } : [root.list]
            return lists.flatMap { list in
                lock(root.oid, graph) { bindings in root.key.matches([list], as: .root, &bindings) }
            }
        }

        private func lock(
            _ table: UInt32, _ graph: Graph, _ condition: (inout Bindings) -> String?
        ) -> [Query] {
            var bindings = Bindings()
            guard let relation = graph.tables[table], relation.isUpdatable, let condition = condition(&bindings) else {
                return []
            }
            let order = relation.key.map { cell($0.name) }
            let sorted = order.isEmpty ? "" : " order by \(order.joined(separator: ", "))"
            let rows = "select 1 from \(relation.ownRows) t where \(condition)\(sorted) for update"
            return [Query(unsafe: "select count(*) from (\(rows)) locked", values: bindings.values)]
        }

        /// Refuses when the world has moved further than rows come and go by the minute.
        private func requireSame(_ now: AccountPlan, as plan: AccountPlan) throws(Failure) {
            let known = Set(plan.entries.map { AccountPlan.Move.table($0.table, $0.policy) })
            var moved = now.entries.map { AccountPlan.Move.table($0.table, $0.policy) }.filter { !known.contains($0) }
            if now.total > plan.total + plan.total / 10 + 100 { moved.append(.total(now.total, planned: plan.total)) }
            if now.collateral > plan.collateral { moved.append(.shared(now.collateral, planned: plan.collateral)) }
            moved += now.obstacles.filter { !plan.obstacles.contains($0) }.map { .obstacle($0) }
            guard moved.isEmpty else {
                throw Failure(ErasureRefusal.changedSincePlan(moved))
            }
        }

        /// A deletion that the ledger knows of.
        private struct Opened {
            let entry: Ledger.Entry
            /// How much of the ledger forgot the person.
            let forgotten: Int
            /// The claim to what goes.
            let claim: String
        }

        /// Opens the deletion in the ledger; what is locked by others instead.
        private func open(_ opening: Opening) throws(Failure) -> (opened: Opened?, locks: [String]) {
            let row = try transaction.run([Ledger.erase(opening.entry, start.root)])[0]
            let (locks, emptied, claim) = try decoding { () throws(DecodingFailure) in
                let row = try row.only()
                return (try row.texts("locks"), try row.optionalInteger("emptied"), try row.optionalText("claim"))
            }
            guard let emptied, let claim else { return (nil, locks) }
            if let end = opening.end { try transaction.run([Ledger.part(.end, end)]) }
            return (Opened(entry: opening.entry, forgotten: emptied, claim: claim), [])
        }

        // MARK: After

        /// Does with what triggers wrote into tables of the account what the lines about them say, and requires that nothing
        /// else is left; gives whether that wrote anything.
        private func settle(
            _ written: inout WrittenRows, _ detachment: inout Detachment, _ verification: Verification
        ) throws(Failure) -> Bool {
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let proof = written.counts.map { Verification.Proof.counts($0, changed: detachment.changed) } ?? .none
            let remaining = try verification.remaining(proof, asking: ask)
            let hasWritten = try written.settle(remaining, &detachment)
            if !remaining.isEmpty { try verification.requireNone(besides: written, asking: ask) }
            return hasWritten
        }

        private func verify(
            _ before: Before, _ detachment: inout Detachment, _ ladder: Ladder
        ) throws(Failure) -> ErasureReport {
            let (account, map) = (before.account, before.account.map)
            let verification = Verification(account: account)
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            var after = try transaction.counters(of: map.graph)
            try verification.requireUnmade(after.since(before.counters), asking: ask)
            let countsRows = after.since(before.counters).areKept && after.since(ladder.baseline).areKept
            var written = WrittenRows(
                account: account, transaction: transaction,
                counts: countsRows ? verification.counts(after.since(before.counters)) : nil, keys: before.keys,
                answers: request.account.answers, added: before.added, elsewhere: elsewhere)
            if try settle(&written, &detachment, verification) { after = try transaction.counters(of: map.graph) }
            let counts = verification.counts(after.since(ladder.baseline))
            let all = verification.counts(after.since(before.counters))
            let further =
                countsRows ? try verification.further(counts, of: all, removed: written.removed, asking: ask) : []
            if countsRows { try before.archive?.writeTaken(all, detachment.moved) }
            let found = try written.judged(all) + written.takenAway
            if found.contains(where: \.isRemoved) {
                try verification.requireNone(besides: written, asking: ask)
            }
            // Behind a commit it is looked for anyway.
            let kept =
                request.isDryRun && !further.isEmpty && !account.held.kept.isEmpty
                ? try account.suspectsLeft(asking: ask).filter { account.held.answer(to: $0) == .keep } : nil
            let deleted = account.closure.found.filter { $0.value.rows > 0 }.map { (map.name($0.key), $0.value.rows) }
            return ErasureReport(
                plan: account.plan(environment: environment, facts: facts),
                operation: before.opened?.entry.whole,
                deleted: deleted.sorted { $0.0 < $1.0 }.map { (table: $0.0, rows: $0.1) },
                ways: ladder.ways.map { (table: map.name($0.key), way: $0.value) }.sorted {
                    $0.table < $1.table
                },
                written: found, added: before.added.report,
                further: further.map { (table: map.name($0.table), rows: $0.rows) },
                touched: verification.touched(all, changed: detachment.changed),
                forgotten: before.opened?.forgotten ?? 0, keptSuspects: kept,
                hidden: account.search.hidden, searched: account.search.extent, isCounted: countsRows,
                unseen: account.held.kept.filter { $0.trouble != nil }, outbox: before.outbox)
        }
    }
}
