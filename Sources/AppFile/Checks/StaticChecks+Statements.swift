/// Statements that Postgres parses but that have no place where they stand.
extension StaticChecks {
    mutating func checkStatements() {
        let changes = app.actions.flatMap(\.statements) + app.states.flatMap(\.statements)
        for statement in changes + app.examples.flatMap(\.statements) + (app.account?.statements ?? []) {
            checkLedger(statement.sql)
        }
        for fragment in app.fragments + app.changingFragments { checkClock(fragment) }
    }

    /// The audit log is written by its own functions, and by no statement of an app file.
    private mutating func checkLedger(_ fragment: Fragment) {
        let place = fragment.tokens.indices.first { index in
            fragment.isName(at: index) && fragment.word(at: index) == SQLName.ledger
                && fragment.word(at: index + 1) == "." && fragment.word(at: index - 1) != "."
        }
        if let place {
            findings.append(
                Diagnostic(
                    "a change can't use usher's own schema", in: fragment.file,
                    at: fragment.tokens[place].range.lowerBound, hint: "selects of the app file may read it"))
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

    private static let clockFunctions: Set<String> = [
        "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday",
    ]
    private static let clockWords: Set<String> = [
        "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime",
    ]
}
