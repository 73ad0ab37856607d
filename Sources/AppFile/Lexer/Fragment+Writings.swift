/// What a statement writes into columns, as far as its text says.
package struct Writing: Sendable {
    package let table: TableName
    /// The columns that values stand for, in order; empty for those of the table as it is.
    package let columns: [String]
    /// Values by the places of their columns, one list a row; none where they are not written there.
    package let rows: [[Fragment]]
    /// Whether it makes rows, and does not change such as there are.
    package let makesRows: Bool
    package let place: App.Place

    /// Whether it makes rows in which a column that is not named holds what it holds by itself.
    package var leavesOut: Bool { makesRows && (!columns.isEmpty || rows.isEmpty) }
}

extension Fragment {
    /// What it writes, its WITH queries included.
    package var writings: [Writing] {
        ownWritings + withQueries.flatMap(\.writings)
    }

    private var ownWritings: [Writing] {
        guard let target, let verb = mainVerb else { return [] }
        let statement = slice(verb.index..<tokens.count)
        return switch target.verb {
        case .insert: statement.insertions(into: target.table, behind: 5)
        case .update: [statement.assignments(to: target.table)].compactMap { $0 }
        case .delete, .merge: []
        }
    }

    /// What an INSERT makes, and what it does to rows that are there already; the name of its table ends before a place.
    func insertions(into table: TableName, behind start: Int) -> [Writing] {
        let level = topLevel
        func keyword(_ words: [String], from start: Int) -> Int? {
            level.first { place in
                place >= start && isKeyword(at: place)
                    && words.indices.allSatisfy { word(at: place + $0) == words[$0] }
            }
        }
        let conflict = keyword(["on", "conflict"], from: start)
        let end = conflict ?? keyword(["returning"], from: start) ?? tokens.count
        guard
            let source = level.first(where: {
                $0 >= start && isKeyword(at: $0) && Self.sources.contains(word(at: $0))
            })
        else { return [] }
        // Brackets before the values name columns; there are none where they hold the rows themselves.
        let list = level.first { $0 >= start && $0 < source && word(at: $0) == "(" }
        let columns = list.map { list in
            let close = level.first { $0 > list && word(at: $0) == ")" } ?? source
            return slice(list + 1..<close).parts(at: ",")
        }
        let names = (columns ?? []).map { $0.word(at: 0) }
        let body = slice(source..<end)
        let rows: [[Fragment]]
        switch word(at: source) {
        case "values":
            rows = body.slice(1..<body.tokens.count).parts(at: ",").filter { $0.isEnclosed(from: 0) }.map {
                $0.slice(1..<$0.tokens.count - 1).parts(at: ",")
            }
        case "default": rows = []
        default:
            let outputs = body.outputs ?? []
            // What stands behind a star is counted by nobody.
            rows = [Array(outputs.prefix { $0.word(at: $0.tokens.count - 1) != "*" })]
        }
        let made = Writing(
            table: table, columns: names, rows: rows, makesRows: true, place: place)
        let changed = conflict.flatMap { slice($0..<tokens.count).assignments(to: table) }
        return [made] + [changed].compactMap { $0 }
    }

    private static let sources: Set<String> = ["values", "select", "with", "table", "default"]

    /// What a SET assigns one by one, or as two lists.
    func assignments(to table: TableName) -> Writing? {
        let level = topLevel
        guard let set = level.first(where: { isKeyword(at: $0) && word(at: $0) == "set" }) else { return nil }
        let end = level.first { place in
            // `is distinct from` is no clause.
            place > set && isKeyword(at: place) && ["from", "where", "returning"].contains(word(at: place))
                && word(at: place - 1) != "distinct"
        }
        var columns: [String] = []
        var values: [Fragment] = []
        for part in slice(set + 1..<(end ?? tokens.count)).parts(at: ",") {
            guard let equals = part.topLevel.first(where: { part.word(at: $0) == "=" }) else { continue }
            let value = part.slice(equals + 1..<part.tokens.count)
            if part.isName(at: 0), equals == 1 {
                columns.append(part.word(at: 0))
                values.append(value)
            } else if part.slice(0..<equals).isEnclosed(from: 0), value.isEnclosed(from: 0) {
                let names = part.slice(1..<equals - 1).parts(at: ",")
                let all = value.slice(1..<value.tokens.count - 1).parts(at: ",")
                guard names.count == all.count else { continue }
                columns += names.map { $0.word(at: 0) }
                values += all
            }
        }
        return Writing(table: table, columns: columns, rows: [values], makesRows: false, place: place)
    }
}

extension Fragment {
    /// Where a NULL stands that it may come to, as it is written or as what a CASE comes to; nil where none is written.
    package var writtenNull: App.Place? {
        if isEnclosed(from: 0) { return slice(1..<tokens.count - 1).writtenNull }
        if isNull { return place }
        guard let results else { return nil }
        let nulls = results.map(\.writtenNull)
        // COALESCE comes to the first that is something.
        return word(at: 0) == "coalesce" && nulls.contains { $0 == nil } ? nil : nulls.lazy.compactMap { $0 }.first
    }

    /// NULL, perhaps of a type.
    fileprivate var isNull: Bool {
        guard word(at: 0) == "null", isKeyword(at: 0) else { return false }
        return tokens.count == 1 || word(at: 1) == "::"
    }

    /// The parameter that it is and nothing else, perhaps of a type.
    package var onlyParameter: String? {
        guard let first = tokens.first, first.kind == .parameter,
            tokens.count == 1 || word(at: 1) == "::"
        else { return nil }
        return name(ofParameter: first)
    }

    /// Whether a column of its result can be NULL and nothing else, as far as that is written in it.
    package func mayBeNothing(inColumn number: Int) -> Bool {
        guard let outputs, number < outputs.count,
            !outputs[...number].contains(where: { $0.word(at: $0.tokens.count - 1) == "*" })
        else { return true }
        let value = outputs[number].output?.expression ?? outputs[number]
        if value.writtenNull != nil { return true }
        // What a definition hands on may be NULL there.
        guard value.tokens.count == 3, value.word(at: 1) == "." else {
            return value.tokens.count == 1 && value.isName(at: 0)
        }
        return definitionsByAlias[value.word(at: 0)] != nil || tablesByAlias[value.word(at: 0)] == nil
    }
}

extension App.Account.Shared {
    /// Whom shared rows go over to, where that is written out as it stands; nil where it is looked up or made of something.
    package var literal: String? {
        guard case .give(let expression) = answer else { return nil }
        var fragment = Fragment(of: expression)
        // What stands there, whatever type it is given.
        while true {
            if fragment.isEnclosed(from: 0) {
                fragment = fragment.slice(1..<fragment.tokens.count - 1)
            } else if let type = fragment.topLevel.first(where: { fragment.word(at: $0) == "::" }) {
                fragment = fragment.slice(0..<type)
            } else {
                break
            }
        }
        let value = fragment.tokens.dropFirst(fragment.word(at: 0) == "-" ? 1 : 0)
        guard value.count == 1, value.allSatisfy({ [.string, .number].contains($0.kind) }) else { return nil }
        return expression
    }

    /// Whether shared rows go over to nobody, whatever they say.
    package var empties: Bool {
        guard case .give(let expression) = answer else { return false }
        var fragment = Fragment(of: expression)
        while fragment.isEnclosed(from: 0) { fragment = fragment.slice(1..<fragment.tokens.count - 1) }
        return fragment.isNull
    }
}
