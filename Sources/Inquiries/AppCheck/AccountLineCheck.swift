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
            account.kept.filter { $0.column == nil && $0.way.via == nil }.map { ($0.name, $0.place) }
            + account.additions.map { added in
                (SQLName.path(of: [added.target.table.schema, added.target.table.name]), added.statement.sql.place)
            }
        // What is no column is a mistake of the file alone.
        let ways =
            (account.kept.compactMap { line in line.way.via.map { ("\(line.name).\($0)", line.place) } }
            + account.anonymised.compactMap { line in
                line.via.map { via in
                    let table = (SQLName.parts(ofPath: line.column) ?? []).dropLast()
                    return ("\(SQLName.path(of: Array(table))).\(via)", line.place)
                }
            }).filter { SQLName.parts(ofPath: $0.0)?.count == 3 }
        let rewritten = account.mentions.filter { $0.answer == .anonymise }
        let staying = account.kept.filter { $0.column != nil }
        let emptied =
            account.detached.map { ($0.column, $0.place) }
            + account.mentions.filter { $0.answer == .detach }.map { ($0.column, $0.place) }
        let shared = account.collateral.filter { [.keep, .detach].contains($0.answer) || $0.empties }
        let query = Query(
            file: "catalog/impossible_lines.sql",
            [
                root.dropLast().map { Identifier($0).quoted }.joined(separator: "."), arrayLiteral(emptied.map(\.0)),
                arrayLiteral(staying.map(\.name)), arrayLiteral(kept.map(\.0)), arrayLiteral(ways.map(\.0)),
                arrayLiteral(
                    account.references.compactMap {
                        App.Account.Reference.parts(of: $0.from).map { SQLName.path(of: $0) }
                    }),
                arrayLiteral(rewritten.map(\.column)), arrayLiteral(account.anonymised.map(\.column)),
                arrayLiteral(account.owned.map(\.from)), arrayLiteral(account.owned.map(\.to)),
                arrayLiteral(shared.map(\.table)),
                arrayLiteral(account.references.map(\.from)), arrayLiteral(account.references.map(\.to)),
                arrayLiteral(account.anonymised.map { $0.via == nil ? $0.column : "" }),
            ])
        let answer = try transaction.read(query)
        var findings: [AppFinding] = []
        do throws(DecodingFailure) {
            for row in answer.rows {
                let (number, table) = (try row.integer("place") - 1, try row.optionalText("table") ?? "")
                let (mistake, place): (AppMistake, App.Place) =
                    switch try row.text("what") {
                    case "empty": (.mustNotBeEmpty(emptied[number].0), emptied[number].1)
                    case "generated":
                        (.cannotBeWritten(account.anonymised[number].column), account.anonymised[number].place)
                    case "own":
                        (.goesAnyway(column: account.anonymised[number].column), account.anonymised[number].place)
                    case "held":
                        (
                            .heldFast(column: account.anonymised[number].column, by: table),
                            account.anonymised[number].place
                        )
                    case "people": (.touchesNobody(column: rewritten[number].column), rewritten[number].place)
                    case "fast": (.heldFast(column: rewritten[number].column, by: table), rewritten[number].place)
                    case "stay": (.cannotOutlive(column: staying[number].name, table: table), staying[number].place)
                    case "way": (.wayCannotBeEmpty(column: ways[number].0, table: table), ways[number].1)
                    case "loose": (.wayLeadsNowhere(ways[number].0), ways[number].1)
                    case "text": (.holdsNoText(column: rewritten[number].column, type: table), rewritten[number].place)
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
        return try findings + obstacles(to: rewritten)
    }

    /// What stands against making somebody unknown in columns.
    private func obstacles(to rewritten: [App.Account.Mention]) throws(PQError) -> [AppFinding] {
        if rewritten.isEmpty { return [] }
        let answer = try transaction.read(MarkedColumns.query(of: rewritten.map(\.column)))
        var marked: MarkedColumns
        do throws(DecodingFailure) { marked = try MarkedColumns(answer) } catch { throw .decoding(error) }
        let answers = try transaction.read(together: marked.steps)
        do throws(DecodingFailure) { try marked.take(answers) } catch { throw .decoding(error) }
        return rewritten.enumerated().flatMap { number, line in
            (marked.obstacles[number] ?? []).map { obstacle in
                let mistake: AppMistake =
                    switch obstacle {
                    case .once: .holdsEachOnce(line.column)
                    case .together(let index): .mayMeet(column: line.column, index: index)
                    case .refused(let check): .refusesMark(column: line.column, by: check)
                    }
                return AppFinding(mistake, at: line.place)
            }
        }
    }
}
