/// Statements that Postgres parses but that have no place where they stand.
extension StaticChecks {
    mutating func checkStatements() {
        for fragment in app.selects { checkIsSelect(fragment) }
        for fragment in app.shownFragments { checkChangesNothing(fragment) }
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) + (app.account?.statements ?? []) {
            let verb = firstWord(of: statement.sql)
            if let verb, !["insert", "update", "delete", "merge", "with", "select"].contains(verb) {
                report("a change is INSERT, UPDATE, DELETE or MERGE, not \(verb.uppercased())", statement.sql)
            }
            checkLedger(statement.sql)
        }
        for fragment in app.shownFragments {
            checkLedger(fragment)
            checkNothing(fragment)
        }
        for fragment in app.fragments + app.changingFragments { checkClock(fragment) }
    }

    private mutating func checkIsSelect(_ fragment: Fragment) {
        guard let first = fragment.tokens.first else { return }
        let verb = first.folded(in: fragment.file)
        if !["select", "with", "values", "table", "("].contains(verb) {
            report("only a SELECT can be shown", fragment)
        }
    }

    /// Neither a WITH query nor a clause of what is shown, or asked, writes or locks.
    private mutating func checkChangesNothing(_ fragment: Fragment) {
        for (index, token) in fragment.tokens.enumerated().dropFirst() where token.kind == .word {
            let word = token.folded(in: fragment.file)
            let before = fragment.tokens[index - 1].folded(in: fragment.file)
            let isInto = word == "into" && before != "insert" && before != "merge" && before != "."
            let writes = isInto || before == "(" && ["insert", "update", "delete", "merge"].contains(word)
            let locks = before == "for" && ["update", "share", "no", "key"].contains(word)
            if writes || locks {
                findings.append(
                    Diagnostic(
                        writes ? "what is shown may not change anything" : "what is shown may not lock anything",
                        in: fragment.file, at: token.range.lowerBound))
            }
        }
    }

    /// What the console remembers is written by its own functions, and by nothing that an app file says.
    private mutating func checkLedger(_ fragment: Fragment) {
        let written = Set(fragment.targets.map(\.table).filter { $0.schema == SQLName.ledger })
        let places =
            fragment.relations.filter { mention in
                written.contains { $0.schema == mention.schema && $0.name == mention.name }
            }.map(\.offset) + fragment.calls.filter { $0.schema == SQLName.ledger }.map(\.offset)
        if let first = places.min() {
            findings.append(
                Diagnostic(
                    "what the console remembers is written by itself alone", in: fragment.file, at: first,
                    hint: "an app file may read the schema \(SQLName.ledger), and not write it or call its functions"))
        }
    }

    /// What is compared with NULL never holds, and never fails either.
    private mutating func checkNothing(_ fragment: Fragment) {
        for place in fragment.tokens.indices where fragment.isKeyword(at: place) && fragment.word(at: place) == "null" {
            let (before, first) = (fragment.word(at: place - 1), fragment.word(at: place - 2))
            let isUnequal = before == ">" && first == "<" || before == "=" && first == "!"
            guard isUnequal || before == "=" && !["<", ">", ":"].contains(first) else { continue }
            findings.append(
                Diagnostic(
                    "nothing is equal to NULL, or differs from it", in: fragment.file,
                    at: fragment.tokens[place].range.lowerBound, hint: "write is \(isUnequal ? "not " : "")null"))
        }
    }

    /// The clock would make a plan and its run, or two panels of one screen, speak of different instants.
    private mutating func checkClock(_ fragment: Fragment) {
        for (index, token) in fragment.tokens.enumerated() where token.kind == .word {
            let word = token.folded(in: fragment.file)
            let next = fragment.tokens.dropFirst(index + 1).first?.folded(in: fragment.file)
            let before = index > 0 ? fragment.tokens[index - 1].folded(in: fragment.file) : ""
            let isCall =
                next == "("
                && (before != "."
                    || fragment.tokens.dropFirst(index - 2).first?.folded(in: fragment.file) == "pg_catalog")
            let readsClock =
                isCall && Self.clockFunctions.contains(word) || Self.clockWords.contains(word) && before != "."
            if readsClock {
                findings.append(
                    Diagnostic(
                        "\(word) reads the clock; the instant asked about is :now", in: fragment.file,
                        at: token.range.lowerBound))
            }
        }
    }

    private func firstWord(of fragment: Fragment) -> String? { fragment.tokens.first?.folded(in: fragment.file) }

    private static let clockFunctions: Set<String> = [
        "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday",
    ]
    private static let clockWords: Set<String> = [
        "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime",
    ]
}
