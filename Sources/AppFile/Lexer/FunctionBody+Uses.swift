/// What the source of a function uses besides the rows that it writes, as far as it says so.
extension FunctionBody {
    package struct Use: Hashable {
        package enum Kind: Hashable {
            /// It reads columns of a table; nil where it is all of them.
            case reads([String], columns: Set<String>?)
            /// It gives columns of new rows a value, and the others what stands for them.
            case fills([String], columns: Set<String>)
            case calls([String])
            /// It takes the next number of a sequence.
            case counts([String])
        }

        package let kind: Kind
        /// On which of insert, update and delete of the trigger that it runs for.
        package var events: Set<String>
    }
}

extension Fragment {
    /// What its statements use.
    var uses: [FunctionBody.Use] {
        var uses: [FunctionBody.Use] = []
        let variables = variables
        for place in tokens.indices {
            guard let kind = called(at: place) else { continue }
            uses.append(.init(kind: kind, events: events(at: place)))
        }
        var start = 0
        for end in tokens.indices.filter({ tokens[$0].kind == .semicolon }) + [tokens.count] {
            defer { start = end + 1 }
            // What stands before is a condition of the function's own language.
            let verb = (start..<max(start, end)).first { isKeyword(at: $0) && Self.verbs.contains(word(at: $0)) }
            guard let verb else { continue }
            let events = events(at: verb)
            uses += slice(verb..<end).tableUses(besides: variables).map { .init(kind: $0, events: events) }
        }
        return uses
    }

    private static let verbs: Set<String> = ["select", "insert", "update", "delete", "merge", "perform", "with"]

    /// The function, or the sequence, that a call names.
    private func called(at place: Int) -> FunctionBody.Use.Kind? {
        guard isName(at: place), word(at: place + 1) == "(", tokens[place + 1].kind == .symbol,
            !["into", "join", "from", "update", "on"].contains(word(at: place - 1)) || !isKeyword(at: place - 1)
                || word(at: place - 1) == "from"
        else { return nil }
        let isQualified = word(at: place - 1) == "." && isName(at: place - 2)
        if isQualified, ["into", "update"].contains(word(at: place - 3)) { return nil }
        let name = isQualified ? [word(at: place - 2), word(at: place)] : [word(at: place)]
        guard name.last == "nextval" else { return .calls(name) }
        guard tokens.indices.contains(place + 2), tokens[place + 2].kind == .string else { return nil }
        return SQLName.parts(ofPath: String(file.text(tokens[place + 2].range).dropFirst().dropLast())).map {
            .counts($0)
        }
    }

    /// What the function's own language declares, or counts a loop with: such a name is no column of anything.
    private var variables: Set<String> {
        var (names, isDeclaring): (Set<String>, Bool) = ([], false)
        for place in tokens.indices {
            switch word(at: place) {
            case "declare" where isKeyword(at: place): isDeclaring = true
            case "begin" where isKeyword(at: place): isDeclaring = false
            case "for" where word(at: place + 2) == "in": names.insert(word(at: place + 1))
            case _ where tokens[place].kind == .semicolon: break
            default: continue
            }
            if isDeclaring, isName(at: place + 1) { names.insert(word(at: place + 1)) }
        }
        return names
    }

    /// What one statement reads and fills.
    private func tableUses(besides variables: Set<String>) -> [FunctionBody.Use.Kind] {
        let (relations, assigned) = (relations, assignedPlaces)
        var listed: Set<Int> = []
        var found: [FunctionBody.Use.Kind] = []
        var reads: [(table: [String], called: String, from: Int)] = []
        for relation in relations {
            guard let start = tokens.firstIndex(where: { $0.range.lowerBound == relation.offset }) else { continue }
            let table = (relation.schema.map { [$0] } ?? []) + [relation.name]
            let end = start + 2 * (table.count - 1)
            let before = word(at: start - 1) == "only" ? start - 2 : start - 1
            let (verb, isInto) = (word(at: before - 1), word(at: before) == "into")
            // SELECT INTO fills a variable.
            if isInto, verb != "insert", verb != "merge" { continue }
            let called = alias(behind: end) ?? relation.name
            listed.formUnion(start...end)
            guard isInto, verb == "insert" else {
                reads.append((table, called, word(at: before) == "update" || verb == "delete" ? end + 1 : 0))
                continue
            }
            let open = [end + 1, end + 2, end + 3].first { word(at: $0) == "(" }
            if let open, !["select", "with"].contains(word(at: open + 1)),
                let close = tokens.indices.first(where: { $0 > open && word(at: $0) == ")" }),
                tokens[(end + 1)..<open].allSatisfy({ $0.isName }),
                !(end + 1..<open).contains(where: { ["values", "overriding"].contains(word(at: $0)) })
            {
                listed.formUnion(open...close)
                let names = (open...close).filter { isName(at: $0) }.map { word(at: $0) }
                found.append(.fills(table, columns: Set(names)))
            }
            let back = tokens.indices.first {
                $0 > end && isKeyword(at: $0) && ["conflict", "returning"].contains(word(at: $0))
            }
            if let back { reads.append((table, called, back + 1)) }
        }
        for read in reads {
            let places = tokens.indices.filter { $0 >= read.from && !listed.contains($0) && !assigned.contains($0) }
            if places.contains(where: { isWhole(at: $0, of: read.called) }) {
                found.append(.reads(read.table, columns: nil))
                continue
            }
            let columns = places.filter { place in
                isColumn(at: place, of: read.called)
                    && (word(at: place - 1) == "." || !variables.contains(word(at: place)))
            }
            let names = Set(columns.map { word(at: $0) })
            // To change or take all rows, or add some, none has to be seen.
            if read.from == 0 || !names.isEmpty { found.append(.reads(read.table, columns: names)) }
        }
        return found
    }

    /// Where names stand left of `=` in SET.
    private var assignedPlaces: Set<Int> {
        var (places, isOpen): (Set<Int>, Bool) = ([], false)
        for place in tokens.indices {
            if isKeyword(at: place) {
                isOpen = isOpen ? !["where", "from", "returning"].contains(word(at: place)) : word(at: place) == "set"
            }
            if isOpen, isName(at: place), word(at: place + 1) == "=", ["set", ","].contains(word(at: place - 1)) {
                places.insert(place)
            }
        }
        return places
    }

    /// Whether all columns are meant.
    private func isWhole(at place: Int, of table: String) -> Bool {
        guard tokens[place].kind == .symbol, word(at: place) == "*" else { return false }
        if word(at: place - 1) == "." { return word(at: place - 2) == table }
        return ["select", ",", "distinct", "returning"].contains(word(at: place - 1))
    }

    /// Whether a name may be that of a column of a table; bare names may be of any.
    private func isColumn(at place: Int, of table: String) -> Bool {
        guard isName(at: place), ![".", "("].contains(word(at: place + 1)) else { return false }
        return word(at: place - 1) != "." || word(at: place - 2) == table
    }
}
