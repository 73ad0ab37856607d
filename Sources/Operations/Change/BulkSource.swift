internal import AppFile
internal import EmbeddedSQL
internal import PQ

/// Where the subjects of a bulk change come from, batch by batch; memory does not grow with a selection.
struct BulkSource {
    enum Origin {
        /// Whoever a selection holds for, in the order of the keys.
        case selection([App.Selection])
        case subjects([ChangeSubject])
        /// Batches of an earlier bulk change, to be taken back, and how many users each is about.
        case operations([(id: String, users: Int)])
    }

    /// Some of the subjects, and where the next batch begins.
    struct Batch {
        var subjects: [ChangeSubject] = []
        /// Which of them a remark refuses, and the number of the first that does.
        var refused: [String: Int] = [:]
        var operation: String?
        /// How many it is about, when they are not named.
        var count: Int?
        let cursor: String
    }

    let origin: Origin
    let total: Int
    /// What tells two requests apart: the same command with the same input is the same change.
    let digest: String

    /// How many of a list are done; a cursor that cannot be read is not the beginning of it.
    private static func place(_ cursor: String?) throws(Failure) -> Int {
        guard let cursor else { return 0 }
        guard let place = Int(cursor) else { throw Failure(.failed, "nobody can tell where it stopped") }
        return place
    }

    /// The batch behind a cursor, nil when there is none; `ask` runs the one statement that it takes.
    func next(
        _ limit: Int, after cursor: String?, of setting: ChangeSetting, now: String,
        ask: (Query) throws(Failure) -> Rows
    ) throws(Failure) -> Batch? {
        let bindings = setting.bindings(now: now)
        let refusals = setting.work.each == nil ? setting.work.refusals : []
        switch origin {
        case .selection(let selections):
            guard
                let query = setting.app.selected(
                    selections, of: setting.work.subject, by: setting.work.each,
                    after: cursor.map { ($0, setting.keyType) },
                    limit: limit, refusals: refusals, bindings: bindings)
            else { return nil }
            let rows = try ask(Query(query)).rows
            guard let last = rows.last else { return nil }
            return try decoding(try Batch(rows, cursor: try last.text(at: 0)))
        case .subjects(let all):
            let start = try Self.place(cursor)
            guard start < all.count else { return nil }
            let end = min(start + limit, all.count)
            let subjects = Array(all[start..<end])
            let query = setting.app.refused(
                by: refusals, setting.work.subject, keys: subjects.map(\.key), type: setting.keyType, bindings: bindings
            )
            let rows = try ask(Query(query)).rows
            var batch = try decoding(try Batch(rows, cursor: String(end)))
            batch.subjects = subjects
            return batch
        case .operations(let ids):
            let start = try Self.place(cursor)
            guard start < ids.count else { return nil }
            return Batch(operation: ids[start].id, count: ids[start].users, cursor: String(start + 1))
        }
    }

    /// Statements that count for whom a remark is the first to hold.
    func tally(of remarks: [App.Remark], of setting: ChangeSetting, now: String) -> [ComposedQuery] {
        let bindings = setting.bindings(now: now)
        switch origin {
        case .selection(let selections):
            return [
                setting.app.tally(of: remarks, setting.work.subject, where: selections, keys: nil, bindings: bindings)
            ]
        case .subjects(let all):
            return stride(from: 0, to: all.count, by: BulkPace.least).map { start in
                let keys = all[start..<min(start + BulkPace.least, all.count)].map(\.key)
                return setting.app.tally(
                    of: remarks, setting.work.subject, where: [], keys: (keys, setting.keyType), bindings: bindings)
            }
        case .operations: return []
        }
    }

    /// The digest of a request: of its command, its arguments, and the names of its selections or else its subjects.
    ///
    /// Whom a selection holds for is no part of it: they become fewer as they are done.
    static func digest(of request: ChangeRequest, _ work: ChangeWork, _ subjects: [ChangeSubject]) -> String {
        let values = request.values.filter { !work.secretNames.contains($0.key) }.sorted { $0.key < $1.key }
        let head = [work.command] + values.flatMap { [$0.key, $0.value] } + request.selections.sorted()
        return digest(of: request.selections.isEmpty ? head + subjects.map(\.key) : head)
    }

    /// A digest of texts; it tells inputs apart and protects nothing.
    static func digest(of texts: [String]) -> String {
        var state: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4)
        for text in texts {
            for byte in text.utf8 + [0] {
                state.0 = (state.0 ^ UInt64(byte)) &* 0x100_0000_01B3
                state.1 = (state.1 &+ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 ^ (state.1 >> 29)
            }
        }
        return [state.0, state.1].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension BulkSource.Batch {
    /// Rows of a key, the name of its type, and the number of the remark that refuses it.
    fileprivate init(_ rows: [Row], cursor: String) throws(DecodingFailure) {
        self.cursor = cursor
        for row in rows {
            let key = try row.text(at: 0)
            subjects.append(ChangeSubject(key: key, label: key))
            if !row.values[2].isNull { refused[key] = try row.integer(at: 2) }
        }
    }
}

extension Inquiry {
    /// Where a request takes its many subjects from.
    func source(
        of request: ChangeRequest, _ work: ChangeWork, _ subjects: [ChangeSubject], _ digest: String
    ) throws(Failure) -> BulkSource {
        if request.selections.isEmpty {
            return BulkSource(origin: .subjects(subjects), total: subjects.count, digest: digest)
        }
        let selections = app.selections(of: work.subject).filter { request.selections.contains($0.name) }
        var total = 0
        if let query = app.count(of: selections, of: work.subject, bindings: bindings) {
            switch try read([query], isLast: false)[0].reading {
            case .success(let rows): total = try decoding(try rows.count())
            case .failure(let unreadable): throw unreadable.failure
            }
        }
        return BulkSource(origin: .selection(selections), total: total, digest: digest)
    }

    /// The batches that undoing a bulk change takes back, nil for any other request.
    func parts(of request: ChangeRequest) throws(Failure) -> [(id: String, users: Int)]? {
        guard case .undo(let operation) = request.what else { return nil }
        let head = ComposedQuery(engine: Ledger.undoOperation.sql, values: [operation])
        let list = ComposedQuery(engine: EmbeddedSQL.text(of: "catalog/bulk_batches.sql"), values: [operation])
        let answers = try read([head, list], isLast: false)
        guard case .success(let rows) = answers[0].result, let row = rows.first,
            try decoding(try row.text("kind")) == "bulk"
        else { return nil }
        let (outcome, isFinal, command) = try decoding(
            (try row.text("outcome"), try row.boolean("final"), try row.text("command")))
        if outcome == "undone" { throw Failure(.refused, "it is undone already") }
        if isFinal { throw Failure(.refused, "\(command) cannot be undone") }
        switch answers[1].result {
        case .success(let rows):
            return try decoding(
                try rows.rows.map { row throws(DecodingFailure) in (try row.text("id"), try row.integer("users")) })
        case .failure(let error): throw Failure(error)
        }
    }

    /// The undoing of a bulk change: its batches one after the other, the latest first.
    func bulkUndo(
        of parts: [(id: String, users: Int)], _ request: ChangeRequest, on connection: Connection,
        _ options: InquiryOptions,
        _ reconnect: @escaping () throws(Failure) -> Connection
    ) throws(Failure) -> BulkSession {
        guard case .undo(let operation) = request.what else { throw Failure(.failed, "this undoes nothing") }
        let digest = BulkSource.digest(of: ["undo", operation])
        if request.begins { try requireNoneUnfinished(digest) }
        guard !parts.isEmpty else {
            throw Failure(.refused, "there is nothing of it left to undo")
        }
        let work = ChangeWork(command: "audit undo", subject: .nothing, grade: .severe, undoes: operation) { _ in [] }
        let userType = try keyType(of: .users)
        try close()
        let setting = ChangeSetting(
            app: app, work: work, subjects: [], keyType: userType, userType: userType, connection: connection,
            options: options, hasReason: request.reason != nil)
        return BulkSession(
            ChangeRunner(setting: setting, reconnect: reconnect),
            ChangeScribe(request: request, work: work, app: app.name, environment: environment),
            source: BulkSource(
                origin: .operations(parts), total: parts.reduce(0) { $0 + $1.users },
                digest: digest),
            strangers: [])
    }
}
