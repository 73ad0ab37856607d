import AppFile
import Asking
import PQ

/// What was counted together, as if each figure had been asked for by itself.
struct Tallied {
    private(set) var selections: [String: Answer] = [:]
    private(set) var decisions: [String: Answer] = [:]
    private(set) var quotas: [String: Answer] = [:]

    static let none = Tallied()

    private init() {}

    /// Takes the answers to tallies and their proofs off the front; nil where one of them does not hold or cannot be asked.
    ///
    /// What was not read in time would not be by itself either, and so that is the answer to all of it.
    init?(_ tallies: [Tally], directory: Answer, _ answers: inout ArraySlice<Answer>) throws(Failure) {
        let users: Int? =
            if case .success(let rows) = directory.result { try decoding(try rows.only().integer(at: 0)) } else { nil }
        for tally in tallies {
            let (counted, proof) = (answers.removeFirst(), answers.removeFirst())
            guard let sums = try Sums(counted, proof, users: tally.countsUsers ? users : nil) else { return nil }
            for (number, figure) in tally.figures.enumerated() {
                switch figure {
                case .selection(let selection): selections[selection.name] = sums.answer(number, ["users"])
                case .quota(let quota):
                    quotas[quota.name] = sums.answer(number, ["limit", "period", "users", "used", "exhausted"])
                case .decision(let decision):
                    decisions[decision.name] = sums.answer(number, ["label", "users"], calling: decision.outcomes)
                }
            }
        }
    }

    /// How many users each selection holds for, or why that is not known of one.
    func counts() throws(Failure) -> (known: [String: Int], unavailable: Unreadable?) {
        var known: [String: Int] = [:]
        for (name, answer) in selections {
            switch answer.reading {
            case .success(let rows): known[name] = try decoding(try rows.count())
            case .failure(let unreadable): return ([:], unreadable)
            }
        }
        return (known, nil)
    }
}

/// The rows of one tally.
private struct Sums {
    private let answer: Answer
    private let rows: [Row]

    /// Nil where rows were read that are not of one user each: functions in an app file make several of one, and one of several.
    init?(_ answer: Answer, _ proof: Answer, users: Int?) throws(Failure) {
        self.answer = answer
        switch (answer.reading, proof.reading) {
        case (.success(let counted), .success(let proof)):
            rows = counted.rows
            let (read, known) = try decoding { () throws(DecodingFailure) in
                (try rows.first?.integer("users"), try proof.only().integers())
            }
            guard known.allSatisfy({ $0 == read }), users.map({ $0 == read }) ?? true else { return nil }
        case (.failure(.late), _): rows = []
        default: return nil
        }
    }

    /// Some columns of a figure, and what the numbers of its labels stand for.
    func answer(_ figure: Int, _ columns: [String], calling labels: [String] = []) -> Answer {
        let own = rows.filter { $0.shown("figure")?.text == "\(figure)" }
        let kinds = columns.map { name in
            Column(name: name, type: rows.first?.shown(name)?.type ?? .text)
        }
        let cells = own.map { row in
            Row(
                columns: kinds,
                values: columns.map { name in
                    let value = row.shown(name) ?? Value(nil)
                    guard name == "label" else { return value }
                    let place = value.text.flatMap { Int($0) } ?? labels.count
                    return Value(labels.indices.contains(place) ? labels[place] : nil)
                })
        }
        return Answer(
            query: answer.query,
            result: answer.result.map { _ in Rows(columns: kinds, rows: cells, affected: cells.count) })
    }
}
