internal import AppFile
internal import PQ

/// How Postgres would answer, as far as it shows which columns of the result still hold a mark.
struct MarkedPlan {
    /// What a step puts out: each expression by the words that it shows.
    private struct Step {
        let path: String
        let whole: String?
        let names: [String]
        /// The names of a query that is read here, and of the part of the whole that this is.
        let query: String?
        let part: String?
        let isOfQuery: Bool
        var outputs: [String] = []
        /// What a function is called with.
        var call: String?
    }

    private var steps: [Step] = []
    private let marks: [String]
    /// The marks that are behind a name of another step.
    private var behind: [String: Set<Int>] = [:]

    /// The plans of some statements, from what `catalog/plan_outputs.sql` says of them.
    static func all(_ rows: Rows, marks: [String]) throws(DecodingFailure) -> [Int: MarkedPlan] {
        var plans: [Int: MarkedPlan] = [:]
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

    private init(marks: [String]) { self.marks = marks.map { $0.lowercased() } }

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
            steps[steps.count - 1].call = Self.words(of: text)
        } else {
            steps[steps.count - 1].outputs.append(Self.words(of: text))
        }
    }

    /// The words that an expression shows, each between blanks.
    private static func words(of text: String) -> String {
        " " + Fragment.shownWords(of: text).joined(separator: " ").lowercased() + " "
    }

    /// The marks that a column of the result holds, by its number.
    func marks(inColumn number: Int) -> Set<Int> {
        let outputs = outputs(of: 0)
        return outputs.indices.contains(number) ? outputs[number] : []
    }

    /// Finds out what is behind each name; a name may stand for what has names inside.
    private mutating func settle() {
        var before: [String: Set<Int>]?
        while before != behind {
            before = behind
            for place in steps.indices.reversed() { note(place) }
        }
    }

    private mutating func note(_ place: Int) {
        let step = steps[place]
        let inner = outputs(of: place).reduce(into: Set<Int>()) { $0.formUnion($1) }
        if let part = step.part {
            behind[part, default: []].formUnion(inner)
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
            marks.formUnion(step.query.flatMap { behind[$0] } ?? [])
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

    private func marks(in words: String) -> Set<Int> {
        var found = Set(marks.indices.filter { words.contains(marks[$0]) })
        for (name, marks) in behind where words.contains(name) { found.formUnion(marks) }
        return found
    }
}
