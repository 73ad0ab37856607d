internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What an app file says of some users before their accounts go: why not, and what to know.
struct AccountRemarks {
    private(set) var refusals: [String] = []
    private(set) var warnings: [String] = []

    init(_ start: AccountStart, asking ask: Ask) throws(Failure) {
        guard let app = start.app, let account = app.account, !start.root.values.isEmpty else { return }
        let remarks = account.refusals + account.warnings
        if remarks.isEmpty { return }
        let query = app.held(
            remarks, keys: .keys(start.root.values, type: start.root.type),
            now: AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz"))
        let answer = try ask([Query(query)])[0]
        try decoding { () throws(DecodingFailure) in
            for row in answer.rows {
                for number in try row.texts("held").compactMap({ Int($0) }) {
                    let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }.plain
                    if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
                }
            }
        }
    }
}
