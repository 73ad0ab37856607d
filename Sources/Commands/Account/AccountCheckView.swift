import Operations
import PQ
import Terminal

/// How the columns look that hold users and have no policy.
struct AccountCheckView {
    private let check: AccountCheck
    private let context: Context

    init(_ check: AccountCheck, _ context: Context) {
        self.check = check
        self.context = context
    }

    func write() throws(Failure) {
        try PageWriter(context: context).write(
            json: [
                ("root", .string(check.root)), ("suspected", .array(check.suspects.map(AccountPlanView.json))),
                ("hidden", .array(check.hidden.map { .string($0) })),
                ("missing", .array(check.missing.map { .string($0) })), ("clean", .bool(check.isClean)),
            ],
            records: records, key: check.suspects.map(\.path).joined(separator: "\n"),
            screen: lines)
    }

    private var records: [Row] {
        let columns = ["table", "column", "rows"].map { Column(name: $0, type: $0 == "rows" ? .bigint : .text) }
        return check.suspects.map { suspect in
            let cells = [suspect.table, suspect.column, "\(suspect.rows)"]
            return Row(columns: columns, values: zip(cells, columns).map { Value($0, type: $1.type) })
        }
    }

    private var lines: [SafeText] {
        if check.isClean { return [("Every column that holds users is classified." as SafeText).green] }
        let found = check.suspects.map { suspect in
            SafeText(suspect.path).bold
                + SafeText(
                    suspect.refersTo.isEmpty
                        ? "  holds users in \(suspect.rows.of("row")), and nothing declares it"
                        : "  refers to \(suspect.refersTo.joined(separator: ", ")) in \(suspect.rows.of("row")), and no foreign key says so"
                )
        }
        return found
            + check.hidden.map { SafeText("\($0)").bold + ("  cannot be seen" as SafeText) }
            + check.missing.map { SafeText("the app file names \($0), which this database does not have") }
    }
}
