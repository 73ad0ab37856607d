internal import Acts
internal import AppFile
internal import Asking
internal import Inquiries
internal import PQ

/// Whom a change of many is about, before the database has settled it.
struct BulkSubjects {
    enum Origin {
        /// Whoever selections hold for.
        case selection([App.Selection])
        case subjects([ChangeSubject])
        /// Batches of an earlier change of many, to be taken back, the latest first.
        case operations([String])
    }

    let origin: Origin
    let total: Int
    /// The first of them.
    let first: [ChangeSubject]
}

/// For how many of all the remarks of a change hold, by the first that does; one by one it is not known before.
struct BulkTally {
    private let subjects: BulkSubjects
    private let atOnce: Int
    private let act: RequestedAct
    private let keyType: String
    private let bindings: [String: Binding]

    init(
        _ subjects: BulkSubjects, atOnce: Int, of act: RequestedAct, keyType: String, bindings: [String: Binding]
    ) {
        self.subjects = subjects
        self.atOnce = atOnce
        self.act = act
        self.keyType = keyType
        self.bindings = bindings
    }

    func counts(
        of remarks: [App.Remark], in app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [(sentence: String, count: Int)] {
        if remarks.isEmpty || act.isOneByOne { return [] }
        var counts = [Int](repeating: 0, count: remarks.count)
        for query in queries(remarks, app) {
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.patientTimeout))
            let answer = try failing { () throws(PQError) in
                try transaction.read([Query(query)], isLast: true)[0]
            }
            switch Answer(query: query, result: answer).reading {
            case .failure(let unreadable): throw unreadable.failure
            case .success(let rows):
                // Those of whom no remark holds stand together, under no number.
                for row in rows.rows where !row.values[0].isNull {
                    let (index, count) = try decoding((try row.integer(at: 0), try row.integer(at: 1)))
                    counts[index] += count
                }
            }
        }
        return zip(remarks, counts).filter { $0.1 > 0 }.map { ($0.0.sentence.source, $0.1) }
    }

    private func queries(_ remarks: [App.Remark], _ app: App) -> [ComposedQuery] {
        switch subjects.origin {
        case .selection(let selections):
            return [app.tally(of: remarks, act.subject, where: selections, keys: nil, bindings: bindings)]
        case .subjects(let all):
            return stride(from: 0, to: all.count, by: atOnce).map { start in
                let keys = all[start..<min(start + atOnce, all.count)].map(\.key)
                return app.tally(
                    of: remarks, act.subject, where: [], keys: Binding(arrayLiteral(keys), type: keyType + "[]"),
                    bindings: bindings)
            }
        case .operations: return []
        }
    }
}

extension Inquiry {
    /// Where a request takes its many subjects from.
    func manySubjects(of request: ChangeRequest, _ subject: App.Subject, _ found: [ChangeSubject]) throws(Failure)
        -> BulkSubjects
    {
        if request.selections.isEmpty {
            return BulkSubjects(origin: .subjects(found), total: found.count, first: found)
        }
        let selections = app.selections(of: subject).filter { request.selections.contains($0.name) }
        var total = 0
        if let query = app.count(of: selections, of: subject, bindings: bindings) {
            switch try read([query], isLast: false)[0].reading {
            case .success(let rows): total = try decoding(try rows.count())
            case .failure(let unreadable): throw unreadable.failure
            }
        }
        return BulkSubjects(origin: .selection(selections), total: total, first: found)
    }
}
