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
        let kept = account.kept.filter { $0.column == nil }
        let staying = account.kept.filter { $0.column != nil }
        let emptied =
            account.detached.map { ($0.column, $0.place) }
            + account.mentions.filter { $0.answer == .detach }.map { ($0.column, $0.place) }
        let query = Query(
            file: "catalog/impossible_lines.sql",
            [
                root.dropLast().map { Identifier($0).quoted }.joined(separator: "."), arrayLiteral(emptied.map(\.0)),
                arrayLiteral(staying.map(\.name)), arrayLiteral(kept.map(\.name)),
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
                    default:
                        (
                            "every row of \(kept[number].name) must refer to \(table), so none can stay without it",
                            kept[number].place
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
