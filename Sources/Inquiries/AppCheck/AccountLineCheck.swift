internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The lines of an account that no deletion could ever follow.
struct AccountLineCheck {
    let account: App.Account
    let transaction: ReadTransaction

    func findings() throws(PQError) -> [AppFinding] {
        let root = SQLName.parts(ofPath: account.root) ?? []
        let kept =
            account.kept.filter { $0.way.via == nil }.map { ($0.table, $0.place, $0.way.isAll) }
            + account.additions.map { added in
                (
                    SQLName.path(of: [added.target.table.schema, added.target.table.name]), added.statement.sql.place,
                    false
                )
            }
        // What is no column is a mistake of the file alone.
        let ways =
            (account.kept.compactMap { line in line.way.via.map { ("\(line.table).\($0)", line.place) } }
            + account.assignments.compactMap { line in
                line.way.via.map { via in
                    let table = (SQLName.parts(ofPath: line.column) ?? []).dropLast()
                    return ("\(SQLName.path(of: Array(table))).\(via)", line.place)
                }
            }).filter { SQLName.parts(ofPath: $0.0)?.count == 3 }
        func columns(_ answer: App.Account.Refers.Answer) -> [(name: String, place: App.Place)] {
            account.refers.filter { $0.answer == answer }.compactMap { line in line.column.map { ($0, line.place) } }
        }
        let (emptied, staying) = (columns(.detach), columns(.keep))
        let shared = account.shared.filter { $0.answer == .detach || $0.empties }
        let references = account.refers.filter { $0.to != nil }
        let answers = account.refers.filter { $0.to == nil && $0.column != nil }
        // A table under @keep as a whole also has columns about which nobody is asked then.
        let idle =
            account.kept.filter { !$0.way.isAll }.map { ($0.table, $0.place) }
            + account.assignments.map { line in
                (SQLName.path(of: (SQLName.parts(ofPath: line.column) ?? []).dropLast()), line.place)
            }
            + account.shared.map { ($0.table, $0.place) }
        let query = Query(
            file: "catalog/impossible_lines.sql",
            [
                root.dropLast().map { Identifier($0).quoted }.joined(separator: "."), arrayLiteral(emptied.map(\.name)),
                arrayLiteral(staying.map(\.name)), arrayLiteral(kept.map(\.0)), arrayLiteral(ways.map(\.0)),
                arrayLiteral(references.map { $0.column ?? "" }), arrayLiteral(account.assignments.map(\.column)),
                arrayLiteral(account.owned.map(\.from)), arrayLiteral(account.owned.map(\.to)),
                arrayLiteral(shared.map(\.table)),
                arrayLiteral(references.map(\.from)), arrayLiteral(references.compactMap(\.to)),
                arrayLiteral(account.assignments.map { $0.way.via == nil ? $0.column : "" }),
                arrayLiteral(answers.compactMap(\.column)),
                arrayLiteral(references.map { $0.answer == nil || $0.answer == .delete ? "t" : "f" }),
                arrayLiteral(references.map { $0.condition == nil ? "t" : "f" }),
                arrayLiteral(kept.map { $0.2 ? "t" : "f" }), arrayLiteral(idle.map(\.0)),
            ])
        let answer = try transaction.read(query)
        var findings: [AppFinding] = []
        do throws(DecodingFailure) {
            for row in answer.rows {
                let (number, table) = (try row.integer("place") - 1, try row.optionalText("table") ?? "")
                let (mistake, place): (AppMistake, App.Place) =
                    switch try row.text("what") {
                    case "empty": (.mustNotBeEmpty(emptied[number].name), emptied[number].place)
                    case "generated":
                        (.cannotBeWritten(account.assignments[number].column), account.assignments[number].place)
                    case "own":
                        (.goesAnyway(column: account.assignments[number].column), account.assignments[number].place)
                    case "held":
                        (
                            .heldFast(column: account.assignments[number].column, by: table),
                            account.assignments[number].place
                        )
                    case "stay": (.cannotOutlive(column: staying[number].name, table: table), staying[number].place)
                    case "way": (.wayCannotBeEmpty(column: ways[number].0, table: table), ways[number].1)
                    case "aimless": (.answersForNothing(answers[number].from), answers[number].place)
                    case "idle": (.hasNoEffect(table: idle[number].0), idle[number].1)
                    case "loose": (.wayLeadsNowhere(ways[number].0), ways[number].1)
                    case "set":
                        (
                            .cannotStay(
                                table: SQLName.path(
                                    of: (SQLName.parts(ofPath: account.assignments[number].column) ?? []).dropLast()),
                                root: table), account.assignments[number].place
                        )
                    case "owns":
                        (.ownsNothing(column: account.owned[number].from, target: table), account.owned[number].place)
                    case "shared": (.cannotStay(table: shared[number].table, root: table), shared[number].place)
                    case "users": (.ownsUsers(account.owned[number].from), account.owned[number].place)
                    default: (.cannotStay(table: kept[number].0, root: table), kept[number].1)
                    }
                findings.append(AppFinding(mistake, at: place))
            }
        } catch {
            throw .decoding(error)
        }
        return findings
    }
}
