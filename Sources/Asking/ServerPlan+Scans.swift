internal import AppFile

extension ServerPlan {
    /// The reading of a table, or of one of its parts, from one end to the other.
    struct Scan {
        let table: TableName
        /// What it takes in all, as planners count it.
        let cost: Double
        /// How many rows come of it that are wanted.
        let rows: Double
        /// The column by which they are wanted.
        let column: String?
    }

    /// All that is read like that.
    var scans: [Scan] {
        let steps = self.steps
        return steps.indices.compactMap { place in
            let step = steps[place]
            let condition = step.text("Filter")
            // What goes through a whole index looks at all the rows as well.
            let isWhole =
                step.text("Node Type") == "Seq Scan"
                || ["Index Scan", "Index Only Scan"].contains(step.text("Node Type")) && step["Index Cond"] == nil
                    && condition != nil
            guard isWhole, let table = step["Relation Name"].flatMap(Self.plain),
                let schema = step["Schema"].flatMap(Self.plain), let alias = step["Alias"].flatMap(Self.plain),
                let cost = step.number("Total Cost"), let rows = step.number("Plan Rows")
            else { return nil }
            let below = steps.indices.filter { above($0, in: steps) == place }
                .map { (steps[$0].number("Total Cost") ?? 0) * runs(of: $0, under: place, in: steps) }
            let times = runs(of: place, in: steps)
            var wanted = (rows: rows, column: condition.flatMap { Fragment.lookUp(in: $0, of: alias) })
            if wanted.column == nil, let joined = Self.joined(alias, in: steps) { wanted = joined }
            return Scan(
                table: TableName(schema: schema, name: table), cost: max(0, cost - below.reduce(0, +)) * times,
                rows: wanted.rows * times,
                column: wanted.column)
        }
    }

    /// How many rows of a table something else picks out, and by which column.
    private static func joined(_ alias: String, in steps: [Step]) -> (rows: Double, column: String?)? {
        // The parts of a table are numbered, and what stands above them says it of the whole.
        let whole = alias.lastIndex(of: "_").map { String(alias[..<$0]) }
        for step in steps {
            for condition in ["Hash Cond", "Merge Cond", "Join Filter"].compactMap(step.text) {
                let names = [alias] + (whole.map { [$0] } ?? [])
                guard let column = names.lazy.compactMap({ Fragment.lookUp(in: condition, of: $0) }).first,
                    let rows = step.number("Plan Rows")
                else { continue }
                return (rows, column)
            }
        }
        return nil
    }

    /// How often a step is run in all.
    private func runs(of place: Int, in steps: [Step]) -> Double {
        guard let above = above(place, in: steps) else { return 1 }
        return runs(of: place, under: above, in: steps) * runs(of: above, in: steps)
    }

    /// How often a step is run in a run of the one above: once for each row of another one, where that is how they are put together.
    private func runs(of place: Int, under above: Int, in steps: [Step]) -> Double {
        let step = steps[place]
        switch step.text("Parent Relationship") {
        // What is kept is read once.
        case "Inner"
        where steps[above].text("Node Type") == "Nested Loop"
            && !["Materialize", "Memoize"].contains(step.text("Node Type")):
            let beside = steps[(above + 1)..<place].first { $0.depth == step.depth }
            return max(1, beside?.number("Plan Rows") ?? 1)
        case "SubPlan":
            let name = step.text("Subplan Name") ?? ""
            if properties.contains(where: { $0.value.contains("hashed \(name)") }) { return 1 }
            return max(1, steps[above].number("Plan Rows") ?? 1)
        default: return 1
        }
    }

    /// The step of which another one is a part.
    private func above(_ place: Int, in steps: [Step]) -> Int? {
        steps[..<place].lastIndex { $0.depth < steps[place].depth }
    }

    // MARK: Steps

    /// One step, with what stands straight in it.
    private struct Step {
        let depth: Int
        let properties: ArraySlice<(name: String, value: String, depth: Int)>

        subscript(name: String) -> String? { properties.first { $0.name == name }?.value }

        func number(_ name: String) -> Double? { self[name].flatMap(Double.init) }

        /// What stands between quotes.
        func text(_ name: String) -> String? {
            self[name].map { String($0.dropFirst().dropLast()).replacing("\\\"", with: "\"") }
        }
    }

    private var steps: [Step] {
        let starts = properties.indices.filter { properties[$0].name == "Node Type" }
        return zip(starts, starts.dropFirst() + [properties.count]).map { start, end in
            Step(depth: properties[start].depth, properties: properties[start..<end])
        }
    }
}
