internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What an app file says of some users before their accounts go: why not, and what to know.
struct AccountRemarks {
    private(set) var refusals: [FilledSentence] = []
    private(set) var warnings: [FilledSentence] = []

    /// Asks what of it holds; nil where it says nothing.
    static func question(_ start: AccountStart) -> Query? {
        guard let app = start.app, let account = app.account, !start.root.values.isEmpty else { return nil }
        let remarks = account.refusals + account.warnings
        if remarks.isEmpty { return nil }
        let query = app.held(
            remarks, keys: .keys(start.root.values, type: start.root.type),
            now: AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz"))
        return Query(query)
    }

    /// Reads the answer, where there was a question.
    init(_ start: AccountStart, _ answer: Rows?) throws(DecodingFailure) {
        guard let answer, let account = start.app?.account else { return }
        let remarks = account.refusals + account.warnings
        for row in answer.rows {
            for number in try row.texts("held").compactMap({ Int($0) }) {
                let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }
                if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
            }
        }
    }
}
