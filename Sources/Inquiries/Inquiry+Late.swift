internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// A table that a statement reads from one end to the other, and the column by which an index would spare that.
struct LongReading {
    let table: TableName
    let column: String?

    var remedy: Unreadable.Remedy {
        let name = Identifier(table.schema).quoted + "." + Identifier(table.name).quoted
        return column.map { .index("create index concurrently on \(name) (\($0))") }
            ?? .patience(table: table.schema + "." + table.name)
    }
}

/// What took too long: the planner tells what it would have read.
extension Inquiry {
    /// Answers of which those that came too late say what would help.
    func advised(_ answers: [Answer]) -> [Answer] {
        guard answers.contains(where: \.isLate) else { return answers }
        return answers.map { answer in
            var answer = answer
            if answer.isLate { answer.remedy = remedy(for: answer.query) }
            return answer
        }
    }

    /// Says what was not read in time: that it holds nothing nobody knows, and nobody is to be told so.
    func requireInTime(_ answers: [Answer]) throws(Failure) {
        for answer in answers {
            if case .failure(let unreadable) = answer.reading, case .late = unreadable { throw unreadable.failure }
        }
    }

    /// What would help a statement that takes too long; nil where the planner does not tell, or cannot be asked any more.
    func remedy(for query: ComposedQuery) -> Unreadable.Remedy? {
        reopen()
        guard case .success(let plan)? = try? transaction.read([ServerPlan.query(of: query)], isLast: false).first
        else {
            return nil
        }
        return ServerPlan(plan).longestReading?.remedy
    }

    /// Why something could not be read in time, with the index that is missing for finding users, where one is.
    func tooSlow(_ unreadable: Unreadable, _ purposes: [MissingIndex.Purpose]) throws(Failure) -> Failure {
        guard case .late(let error, let place, _) = unreadable, let index = try users().remedy(purposes) else {
            return unreadable.failure
        }
        return Unreadable.late(error, askedAt: place, .index(index)).failure
    }
}

extension Answer {
    /// Whether its time was over; what waits for a lock wants no index.
    fileprivate var isLate: Bool {
        if case .failure(.late(let error, _, _)) = reading { error.state == .queryCanceled } else { false }
    }
}
