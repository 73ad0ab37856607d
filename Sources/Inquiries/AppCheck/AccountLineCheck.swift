internal import AppFile
internal import Catalog
internal import PQ

/// Finds the directives of `@account` blocks that a deletion can't follow.
struct AccountLineCheck {
    let account: App.Account
    let transaction: ReadTransaction

    private typealias Line = (name: String, place: App.Place)

    func findings() throws(PQError) -> [Diagnostic] {
        // The query takes long in a database with many tables, so usher skips it if no directive needs it.
        let hasLines =
            !account.refers.isEmpty || !account.owned.isEmpty || !kept.isEmpty || !ways.isEmpty || !idle.isEmpty
        guard hasLines else { return [] }
        let answer = try transaction.read(query)
        return try answer.rows.map { row throws(PQError) in
            let (message, place) = mistake(
                try row.text("what"), of: try row.integer("place") - 1,
                table: try row.optionalText("table") ?? "")
            return Diagnostic(message, at: place)
        }
    }

    private var query: Query {
        let root = SQLName.parts(ofPath: account.root) ?? []
        return Query(
            file: "catalog/impossible_lines.sql",
            [
                root.dropLast().map { Identifier($0).quoted }.joined(separator: "."), arrayLiteral(emptied.map(\.name)),
                arrayLiteral(staying.map(\.name)), arrayLiteral(kept.map(\.name)), arrayLiteral(ways.map(\.name)),
                arrayLiteral(references.map { $0.column ?? "" }), arrayLiteral(account.assignments.map(\.column)),
                arrayLiteral(account.owned.map(\.from)), arrayLiteral(account.owned.map(\.to)),
                arrayLiteral(shared.map(\.table)),
                arrayLiteral(references.map(\.from)), arrayLiteral(references.compactMap(\.to)),
                arrayLiteral(account.assignments.map { $0.way.via == nil ? $0.column : "" }),
                arrayLiteral(answers.compactMap(\.column)),
                arrayLiteral(references.map { $0.answer == nil || $0.answer == .delete ? "t" : "f" }),
                arrayLiteral(references.map { $0.condition == nil ? "t" : "f" }),
                arrayLiteral(kept.map { $0.isAll ? "t" : "f" }), arrayLiteral(idle.map(\.name)),
            ])
    }

    /// The message and the place of a mistake; the kind of mistake determines the list that `number` indexes.
    private func mistake(_ what: String, of number: Int, table: String) -> (String, App.Place) {
        func set(_ message: (String) -> String) -> (String, App.Place) {
            (message(account.assignments[number].column), account.assignments[number].place)
        }
        func line(_ lines: [Line], _ message: (String) -> String) -> (String, App.Place) {
            (message(lines[number].name), lines[number].place)
        }
        func cannotStay(_ name: String) -> String {
            "every row of \(name) must refer to \(table), so no row can stay when the row of \(table) is deleted"
        }
        switch what {
        case "empty": return line(emptied) { "@refers can't detach \($0), because the column can't be set to NULL" }
        case "generated": return set { "the database generates \($0), so @set can't change the column" }
        case "own": return set { "\($0) is in the user's own row, which a deletion always deletes" }
        case "held":
            return set {
                "\(table) has a foreign key to \($0) without ON UPDATE CASCADE, so @set can't change the column"
            }
        case "stay":
            return line(staying) {
                "\($0) has a foreign key to \(table), so no row can stay when the row of \(table) is deleted"
            }
        case "way":
            return line(ways) { "\($0) must not be NULL, so no row can stay when the row of \(table) is deleted" }
        case "aimless":
            return (
                "usher doesn't know which table \(answers[number].from) refers to: "
                    + "write `@refers \(answers[number].from) -> TABLE.COLUMN`", answers[number].place
            )
        case "idle":
            return line(idle) {
                "this directive has no effect, because rows of \($0) don't belong to users: "
                    + "there is no foreign key and no @refers"
            }
        case "loose": return line(ways) { "via \($0) has no effect: the column has no foreign key and no @refers" }
        case "set": return set { cannotStay(Self.table(of: $0)) }
        case "owns":
            let owned = account.owned[number]
            return ("there is no foreign key from \(owned.from) to \(table)", owned.place)
        case "shared": return (cannotStay(shared[number].table), shared[number].place)
        case "users":
            let owned = account.owned[number]
            return ("\(owned.from) refers to users, but an account can't own another account", owned.place)
        default: return (cannotStay(kept[number].name), kept[number].place)
        }
    }

    private var kept: [(name: String, place: App.Place, isAll: Bool)] {
        account.kept.filter { $0.way.via == nil }.map { ($0.table, $0.place, $0.way.isAll) }
            + account.additions.map { added in
                let table = SQLName.path(of: [added.target.table.schema, added.target.table.name])
                return (table, added.statement.sql.place, false)
            }
    }

    /// The columns of `via`; another check reports a `via` that isn't a column.
    private var ways: [Line] {
        let kept = account.kept.compactMap { line in line.way.via.map { ("\(line.table).\($0)", line.place) } }
        let set = account.assignments.compactMap { line in
            line.way.via.map { ("\(Self.table(of: line.column)).\($0)", line.place) }
        }
        return (kept + set).filter { SQLName.parts(ofPath: $0.0)?.count == 3 }
    }

    private var emptied: [Line] { columns(.detach) }
    private var staying: [Line] { columns(.keep) }

    private func columns(_ answer: App.Account.Refers.Answer) -> [Line] {
        account.refers.filter { $0.answer == answer }.compactMap { line in line.column.map { ($0, line.place) } }
    }

    private var shared: [App.Account.Shared] { account.shared.filter { $0.answer == .detach || $0.empties } }
    private var references: [App.Account.Refers] { account.refers.filter { $0.to != nil } }
    private var answers: [App.Account.Refers] { account.refers.filter { $0.to == nil && $0.column != nil } }

    /// The directives about tables, except @keep for a whole table, which needs no reference to a user.
    private var idle: [Line] {
        account.kept.filter { !$0.way.isAll }.map { ($0.table, $0.place) }
            + account.assignments.map { (Self.table(of: $0.column), $0.place) }
            + account.shared.map { ($0.table, $0.place) }
    }

    private static func table(of column: String) -> String {
        SQLName.path(of: (SQLName.parts(ofPath: column) ?? []).dropLast())
    }
}
