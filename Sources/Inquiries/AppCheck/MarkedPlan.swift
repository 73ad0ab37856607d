internal import AppFile
internal import PQ

/// How Postgres would answer, as far as it shows which columns of the result still hold a mark.
struct MarkedPlan {
    /// Stands in the place of a secret: long enough that no part of it tells the whole.
    static func mark(_ number: Int) -> String { "\(sign) \(number) " + String(repeating: ".", count: 50) }
    private static let sign = "usher secret"

    /// An expression by the words that it shows, and the marks in them.
    private struct Expression {
        let words: [String]
        let marks: Set<Int>

        init(_ text: String, marks: [String]) {
            words = MarkedPlan.words(of: text)
            let telling = words.filter { $0.contains(MarkedPlan.sign) }
            self.marks = Set(marks.indices.filter { mark in telling.contains { $0.contains(marks[mark]) } })
        }

        func shows(_ name: [String]) -> Bool {
            words.indices.contains { words[$0] == name.first && words[$0...].starts(with: name) }
        }
    }

    /// What a step puts out.
    private struct Step {
        let path: String
        let whole: String?
        let names: [[String]]
        /// The names of a query that is read here, and of the part of the whole that this is.
        let query: String?
        let part: String?
        let isOfQuery: Bool
        var outputs: [Expression] = []
        /// What a function is called with.
        var call: Expression?
    }

    private var steps: [Step] = []
    private let marks: [String]
    /// The marks that are behind a name of another step.
    private var behind: [[String]: Set<Int>] = [:]
    /// The marks that are behind a query, by what the plan calls it.
    private var queries: [String: Set<Int>] = [:]
    /// The marks that each column of the result holds.
    private(set) var columns: [Set<Int>] = []

    /// The plans of some statements with so many marks, from what `catalog/plan_outputs.sql` says of them.
    static func all(_ rows: Rows, marks: Int) throws(DecodingFailure) -> [Int: MarkedPlan] {
        var plans: [Int: MarkedPlan] = [:]
        let marks = (0..<marks).map { mark($0).lowercased() }
        for row in rows.rows {
            let number = try row.integer("plan") - 1
            try plans[number, default: MarkedPlan(marks: marks)].add(row)
        }
        return plans.mapValues { plan in
            var plan = plan
            plan.settle()
            return plan
        }
    }

    private init(marks: [String]) { self.marks = marks }

    private mutating func add(_ row: Row) throws(DecodingFailure) {
        let path = try row.text("step")
        if steps.last?.path != path {
            let alias = try row.optionalText("alias")
            steps.append(
                Step(
                    path: path, whole: try row.optionalText("whole"),
                    names: alias.map { [Self.words(of: Identifier($0).quoted + ".")] } ?? [],
                    query: try row.optionalText("query").map { "CTE \($0)" }, part: try row.optionalText("part"),
                    isOfQuery: try row.optionalText("relationship") == "Subquery"))
        }
        guard let text = try row.optionalText("text") else { return }
        if try row.optionalInteger("place") == 0 {
            steps[steps.count - 1].call = Expression(text, marks: marks)
        } else {
            steps[steps.count - 1].outputs.append(Expression(text, marks: marks))
        }
    }

    private static func words(of text: String) -> [String] { Fragment.shownWords(of: text).map { $0.lowercased() } }

    /// Finds out what is behind each name; a name may stand for what has names inside.
    private mutating func settle() {
        var before = -1
        while before < known {
            before = known
            for place in steps.indices.reversed() { note(place) }
        }
        columns = outputs(of: 0)
    }

    /// How many marks stand behind names; they only become more.
    private var known: Int {
        behind.values.reduce(0) { $0 + $1.count } + queries.values.reduce(0) { $0 + $1.count }
    }

    private mutating func note(_ place: Int) {
        let step = steps[place]
        let inner = outputs(of: place).reduce(into: Set<Int>()) { $0.formUnion($1) }
        if let part = step.part {
            queries[part, default: []].formUnion(inner)
            // `InitPlan 1 (returns $0)` is read as `$0`, and as `InitPlan 1` by newer servers.
            let returned = part.split(whereSeparator: { !"$0123456789".contains($0) }).filter { $0.first == "$" }
            for name in [part.prefix(while: { $0 != "(" })] + returned {
                behind[Self.words(of: String(name)), default: []].formUnion(inner)
            }
        }
        for name in step.names {
            let read = children(of: place).filter { steps[$0].isOfQuery }.flatMap { outputs(of: $0) }
            var marks = read.reduce(into: Set<Int>()) { $0.formUnion($1) }
            marks.formUnion(step.call.map(marks(in:)) ?? [])
            marks.formUnion(step.query.flatMap { queries[$0] } ?? [])
            if !marks.isEmpty { behind[name, default: []].formUnion(marks) }
        }
    }

    private func children(of place: Int) -> [Int] {
        steps.indices.filter { steps[$0].whole == steps[place].path && $0 != place }
    }

    /// What each column of a step holds.
    ///
    /// Of several selects put together the plan shows the first alone, so all are looked at.
    private func outputs(of place: Int) -> [Set<Int>] {
        let own = steps[place].outputs.map(marks(in:))
        let parts = children(of: place).filter { steps[$0].part == nil }
        let isUnion = own.isEmpty && parts.count > 1
        guard isUnion || parts.count == 1 && (own.isEmpty || holdsUnion(parts[0])) else { return own }
        var all = own
        for part in parts {
            let below = outputs(of: part)
            if !own.isEmpty, below.count != own.count { continue }
            for (column, marks) in below.enumerated() {
                if column < all.count { all[column].formUnion(marks) } else { all.append(marks) }
            }
        }
        return all
    }

    private func holdsUnion(_ place: Int) -> Bool {
        let parts = children(of: place).filter { steps[$0].part == nil }
        return parts.count > 1 ? steps[place].outputs.isEmpty : parts.first.map(holdsUnion) ?? false
    }

    private func marks(in expression: Expression) -> Set<Int> {
        var found = expression.marks
        for (name, marks) in behind where expression.shows(name) { found.formUnion(marks) }
        return found
    }
}
