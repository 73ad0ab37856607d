internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The lines of an account that no deletion could ever follow.
struct AccountLineCheck {
    let account: App.Account
    let transaction: ReadTransaction

    func findings() throws(PQError) -> [Diagnostic] {
        let root = SQLName.parts(ofPath: account.root) ?? []
        let kept =
            account.kept.filter { $0.column == nil && $0.way.via == nil }.map { ($0.name, $0.place) }
            + account.additions.map { added in
                (SQLName.path(of: [added.target.table.schema, added.target.table.name]), added.statement.sql.place)
            }
        let ways =
            account.kept.compactMap { line in line.way.via.map { ("\(line.name).\($0)", line.place) } }
            + account.anonymised.compactMap { line in
                line.via.map { via in
                    let table = (SQLName.parts(ofPath: line.column) ?? []).dropLast()
                    return ("\(SQLName.path(of: Array(table))).\(via)", line.place)
                }
            }
        let rewritten = account.mentions.filter { $0.answer == .anonymise }
        let staying = account.kept.filter { $0.column != nil }
        let emptied =
            account.detached.map { ($0.column, $0.place) }
            + account.mentions.filter { $0.answer == .detach }.map { ($0.column, $0.place) }
        let query = Query(
            file: "catalog/impossible_lines.sql",
            [
                root.dropLast().map { Identifier($0).quoted }.joined(separator: "."), arrayLiteral(emptied.map(\.0)),
                arrayLiteral(staying.map(\.name)), arrayLiteral(kept.map(\.0)), arrayLiteral(ways.map(\.0)),
                arrayLiteral(account.references.map(\.from).filter { !$0.contains("(") }),
                arrayLiteral(rewritten.map(\.column)),
            ])
        let answer = try transaction.read(query)
        var findings: [Diagnostic] = []
        do throws(DecodingFailure) {
            for row in answer.rows {
                let (number, table) = (try row.integer("place") - 1, try row.optionalText("table") ?? "")
                let (message, place): (String, App.Place) =
                    switch try row.text("what") {
                    case "empty": ("\(emptied[number].0) must not be empty", emptied[number].1)
                    case "stay":
                        (
                            "\(staying[number].name) has a foreign key to \(table), and cannot outlive what it refers to",
                            staying[number].place
                        )
                    case "way":
                        (
                            "\(ways[number].0) must refer to \(table), so no row can stay without it",
                            ways[number].1
                        )
                    case "loose":
                        (
                            "\(ways[number].0) leads nowhere: no foreign key and no @reference holds it",
                            ways[number].1
                        )
                    case "text":
                        (
                            "\(rewritten[number].column) is \(table), in which nobody can be made unknown",
                            rewritten[number].place
                        )
                    default:
                        (
                            "every row of \(kept[number].0) must refer to \(table), so none can stay without it",
                            kept[number].1
                        )
                    }
                findings.append(Diagnostic(message, in: place.file, at: place.offset))
            }
        } catch {
            throw .decoding(error)
        }
        return findings
    }
}
