internal import Acts
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

extension Erasure {
    /// Deletes most of a big account beforehand, in transactions of so many rows each, so that no row is locked for long.
    ///
    /// Leaf tables go before what they refer to (`Erasure.BatchOrder`), and the root stays until the end: what is interrupted is gone on with
    /// by --resume, which finds what is left. Both runs are one operation, and each batch leaves a row that names it as parent.
    struct Batches {
        let request: ErasureRequest
        let start: AccountStart
        let runner: ActRunner
        /// How many rows the next transaction takes.
        var pace: Pace
        let entry: (_ id: String, _ done: Erasure.Parts) -> Ledger.Entry

        /// What one transaction came to, and how many rows of its table it took.
        private typealias Part = (rows: Int, done: Erasure.Parts)

        /// Deletes in batches, adds up what they come to, and hands on the table of each.
        func run(_ parts: inout Erasure.Parts, progress: (_ table: String, _ gone: Int) -> Void) throws(Failure) {
            let (account, order) = try order()
            parts.before = account.closure
            var pace = pace
            let clock = ContinuousClock()
            // What cannot go by itself goes in the end, by the ladder.
            var left: Set<UInt32> = []
            for group in order.groups {
                var taken = 0
                repeat {
                    taken = 0
                    for table in group where order.waiting[table] == nil && !left.contains(table) {
                        var isMore = true
                        while isMore {
                            let began = clock.now
                            do throws(Failure) {
                                let part = try batch(of: table, in: group, order, account, size: pace.size)
                                if let part {
                                    isMore = part.rows == pace.size
                                    taken += part.rows
                                    parts += part.done
                                    progress(account.map.name(table), parts.deleted[account.map.name(table)] ?? 0)
                                } else {
                                    isMore = false
                                    left.insert(table)
                                }
                            } catch {
                                // With fewer rows there is less to collide with.
                                guard error.kind == .conflict, error.fate == nil, pace.yield() else { throw error }
                                continue
                            }
                            pace.learn(began.duration(to: clock.now))
                        }
                    }
                    // What is left of a long chain is not worth a transaction a row.
                } while order.isRound(group) && taken >= pace.least
            }
        }

        /// How many rows a transaction takes that was told to take so many.
        static func pace(of size: Int) -> Pace { Pace(from: size, within: min(300, size)...size) }

        private func order() throws(Failure) -> (FoundAccount, Erasure.BatchOrder) {
            let transaction = ReadTransaction(
                on: try runner.alive(), settings: .init(timeout: runner.options.patientTimeout))
            defer { try? transaction.end() }
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let account = try FoundAccount(
                of: start, request.account, isPart: true, isForLater: true, asking: ask)
            return (account, try Erasure.BatchOrder(of: account, asking: ask))
        }

        /// One transaction of at most so many rows that nothing holds; nil where none of them can go by itself.
        private func batch(
            of table: UInt32, in group: [UInt32], _ order: Erasure.BatchOrder, _ account: FoundAccount, size: Int
        ) throws(Failure) -> Part? {
            var bindings = Bindings()
            guard let relation = account.map.graph.tables[table],
                var condition = account.closure.condition(of: table, &bindings)
            else { return nil }
            if let free = order.isFree(table, in: group) { condition = "(\(condition)) and \(free)" }
            let keys = WrittenRows.tellingKeys(of: relation, account).map {
                "d.\(Identifier($0.name).quoted)::pg_catalog.text"
            }
            // Places are read and used in one statement; across statements they would mean nothing.
            let query = Query(
                unsafe: """
                    with gone as (
                        delete from \(relation.ownRows) d using (
                            select t.tableoid as part, t.ctid as place from \(relation.ownRows) t where \(condition) limit \(size)
                        ) b where d.tableoid = b.part and d.ctid = b.place
                        returning array[\(keys.joined(separator: ", "))]::pg_catalog.text[] as keys)
                    select count(*) as rows, array(select k from gone, pg_catalog.unnest(gone.keys) k) as keys from gone
                    """, values: bindings.values)
            let terms = ActRunner.Terms(mostRetries: 3, timeout: runner.options.patientTimeout)
            let done = try runner.run(terms) { (transaction, _) throws(Failure) -> ActRunner.Step<Part?> in
                try transaction.run(request.settings.map { "select set_config(\($0.name), \($0.value), true)" })
                if account.map.graph.isSpread { try transaction.run([Graph.oneSession]) }
                let before = try transaction.counters(of: account.map.graph)
                let answers: [Rows]
                switch try transaction.attempt([query, "set constraints all immediate"]) {
                case .success(let rows): answers = rows
                case .failure(let error):
                    if error.state.endsAttempt { throw Failure(error) }
                    return .left(nil)
                }
                let (rows, keys) = try decoding { () throws(DecodingFailure) in
                    let row = try answers[0].only()
                    return (try row.integer("rows"), try row.texts("keys"))
                }
                guard rows > 0 else { return .left((0, Erasure.Parts())) }
                let verification = Verification(account: account)
                func counted() throws(Failure) -> [UInt32: ChangeCounters.Count] {
                    let since = try transaction.counters(of: account.map.graph).since(before)
                    try verification.requireUnmade(since) { queries throws(Failure) in try transaction.ask(queries) }
                    return verification.counts(since)
                }
                var counts = try counted()
                // Rows that a trigger keeps would be counted again and again.
                guard (counts[table]?.deleted ?? rows) >= rows else { return .left(nil) }
                var written = WrittenRows(
                    account: account, transaction: transaction, counts: counts, keys: keys,
                    answers: request.account.answers, isPart: true, elsewhere: runner.another)
                // Behind this nobody could tell any more whose it is that came and belongs to the account.
                if try written.takeOwn() { counts = try counted() }
                // Nor what still refers to them: in the end it is told.
                let taken = Set(counts.filter { $1.deleted > 0 }.keys)
                if try isReferredTo(table, and: taken, account, counts, in: transaction) { return .left(nil) }
                // Nor could anybody tell what triggers wrote, and a line keeps, from what was there and does not stay as it is.
                if counts.contains(where: { $1.inserted > 0 && account.map.keepsWrittenOfAccount($0) }) {
                    return .left(nil)
                }
                let done = Erasure.Parts(
                    deleted: [account.map.name(table): rows], detached: detached(by: table, counts, account),
                    written: try written.judged(counts) + written.takenAway
                )
                let entry = entry(OperationID.make(), done)
                try transaction.run([Ledger.part(.batch, entry)])
                return .done((rows, done), entry)
            }
            var part = done.value
            part?.done.warnings = done.warnings
            return part
        }

        /// How many rows of other tables the database had lose a reference to rows of a table, of those that were to.
        private func detached(
            by table: UInt32, _ counts: [UInt32: ChangeCounters.Count], _ account: FoundAccount
        ) -> [String: Int] {
            let links = account.closure.staying.keys.map { account.map.links[$0] }
            let children = Set(
                links.filter { $0.parent == table && !$0.isDeleting && $0.reference != nil }.map(\.child))
            let rows = children.map { ($0, min(counts[$0]?.updated ?? 0, account.closure.stayingRows[$0]?.rows ?? 0)) }
            return Dictionary(rows.filter { $0.1 > 0 }.map { (account.map.name($0.0), $0.1) }) { $0 + $1 }
        }

        /// Whether rows that were to lose a reference to rows of a table, or of those that were taken along, refer to some that are
        /// gone, or rows that were to go do by what no foreign key sees to, and by nothing else that is there: the rows of the table
        /// itself were free of these.
        private func isReferredTo(
            _ table: UInt32, and taken: Set<UInt32>, _ account: FoundAccount,
            _ counts: [UInt32: ChangeCounters.Count], in transaction: ActTransaction
        ) throws(Failure) -> Bool {
            let (map, closure) = (account.map, account.closure)
            // Such rows may have come with these.
            func mayStay(_ link: AccountLink) -> Bool {
                guard closure.staying[link.id] == nil else { return true }
                guard case .detach = link.effect else { return false }
                return (counts[link.child]?.inserted ?? 0) > 0
            }
            let staying = map.links.filter { (link) in
                (link.parent == table || taken.contains(link.parent)) && mayStay(link)
            }.map { ($0, [AccountLink]()) }
            let going = map.links.filter { link in
                link.isDeleting && link.reference == nil && link.parent != table && taken.contains(link.parent)
            }.map { link in
                let all = (map.linksByChild[link.child] ?? []).map { map.links[$0] }
                return (link, all.filter { $0.isDeleting && $0.id != link.id })
            }
            let questions = (staying + going).compactMap { link, others -> Query? in
                var bindings = Bindings()
                guard let relation = map.graph.tables[link.child],
                    let refers = link.condition(closure.keys, &bindings), let isThere = closure.refersToSome(by: link)
                else { return nil }
                let otherwise = others.compactMap { other -> String? in
                    guard let refers = other.condition(closure.keys, &bindings),
                        let isThere = closure.refersToSome(by: other)
                    else { return nil }
                    return " and (\(refers) and \(isThere)) is not true"
                }
                let lost = "\(refers) and not \(isThere)\(otherwise.joined())"
                return Query(
                    unsafe: "select pg_catalog.count(*) from \(relation.ownRows) t where \(lost)",
                    values: bindings.values)
            }
            for answer in try transaction.ask(questions) where try decoding(try answer.count()) > 0 { return true }
            return false
        }
    }
}
