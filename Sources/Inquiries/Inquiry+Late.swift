internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What took too long, or long: the planner tells what was read.
extension Inquiry {
    /// Answers of which those that came too late say why.
    func advised(_ answers: [Answer]) -> [Answer] {
        answers.map { answer in
            guard case .failure(let error) = answer.result, error.isLate else { return answer }
            var answer = answer
            answer.slowness = slowness(of: [answer.query], after: error)
            return answer
        }
    }

    /// Says what was not read in time: that it holds nothing nobody knows, and nobody is to be told so.
    func requireInTime(_ answers: [Answer]) throws(Failure) {
        for answer in answers {
            if case .failure(let unreadable) = answer.reading, case .late = unreadable { throw unreadable.failure }
        }
    }

    /// What takes some statements so long; nil where the planner does not tell, or cannot be asked any more.
    func slowness(of queries: [ComposedQuery], after error: ServerError) -> Slowness? {
        let hadEnded = transaction.hasEnded
        reopen()
        defer { if hadEnded { try? transaction.end() } }
        return transaction.slowness(of: queries.map { Query($0) }, after: error)
    }

    /// Tells what some statements read where they took long: what is about all users only where indexes would have spared it.
    func tellSlowness(of queries: [ComposedQuery], after seconds: Double) {
        guard let slow = options.slow, seconds > InquiryOptions.noticeable + connection.roundTrip else { return }
        let hadEnded = transaction.hasEnded
        guard let plans = try? plans(of: queries) else { return }
        defer { if hadEnded { try? transaction.end() } }
        let long = plans.compactMap(\.self).filter(\.isLong)
        if let reading = transaction.longestReading(in: long), isOfSome || !reading.indexes.isEmpty { slow(reading) }
    }

    /// Why something could not be read in time, with the indexes that are missing for finding users, where there are some.
    func tooSlow(_ unreadable: Unreadable, without indexes: [String]) -> Failure {
        guard case .late(let error, let place, let slowness) = unreadable, case .reading(let reading)? = slowness,
            !indexes.isEmpty
        else { return unreadable.failure }
        return Unreadable.late(
            error, askedAt: place, .reading(LongReading(table: reading.table, indexes: indexes))
        ).failure
    }

    /// The statements that make what is missing for finding a text without reading all users.
    func indexes(searching text: String) throws(Failure) -> [String] {
        reopen()
        guard case .success(let rows) = try look([Trigrams.query])[0] else { return [] }
        let trigrams = try decoding(try Trigrams(rows))
        var seen: Set<String> = []
        return try users().missing(for: text, trigrams).flatMap { $0.statements(trigrams) }.filter {
            seen.insert($0).inserted
        }
    }

    /// The same for finding whoever has an address.
    func indexesOfAddresses() throws(Failure) -> [String] {
        try users().missing([.address]).flatMap { $0.statements(.unknown) }
    }
}
