/// Statements that Postgres parses but that have no place where they stand.
extension StaticChecks {
    mutating func checkStatements() {
        for fragment in app.selects { checkIsSelect(fragment) }
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) {
            let verb = firstWord(of: statement.sql)
            if let verb, !["insert", "update", "delete", "merge", "with", "select"].contains(verb) {
                report("a change is INSERT, UPDATE, DELETE or MERGE, not \(verb.uppercased())", statement.sql)
            }
        }
        for fragment in app.fragments + app.changingFragments { checkClock(fragment) }
    }

    private mutating func checkIsSelect(_ fragment: Fragment) {
        guard let first = fragment.tokens.first else { return }
        let verb = first.folded(in: fragment.file)
        if !["select", "with", "values", "table", "("].contains(verb) {
            return report("only a SELECT can be shown", fragment)
        }
        for (index, token) in fragment.tokens.enumerated().dropFirst() where token.kind == .word {
            let word = token.folded(in: fragment.file)
            let before = fragment.tokens[index - 1].folded(in: fragment.file)
            let writes = before == "(" && ["insert", "update", "delete", "merge"].contains(word)
            let locks = before == "for" && ["update", "share", "no", "key"].contains(word)
            if writes || locks {
                findings.append(
                    Diagnostic(
                        writes ? "what is shown may not change anything" : "what is shown may not lock anything",
                        in: fragment.file, at: token.range.lowerBound))
            }
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
