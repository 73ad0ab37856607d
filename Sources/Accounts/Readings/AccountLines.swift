internal import AppFile
internal import Catalog

/// What the lines of an app file say of single columns, of rows that others share and of what triggers write.
struct AccountLines {
    let detached: Set<Reading.Key>
    let kept: Set<Reading.Key>
    /// Columns whose rows take along what they refer to, where nobody else refers to it.
    let owned: Set<Reading.Key>
    let shared: [UInt32: Shared]
    let written: [UInt32: App.Account.Written]
    private let mentioned: Set<Reading.Key>
    private let plain: [App.Account.Plain]

    init(_ account: App.Account?, _ graph: Graph) {
        func keys(_ names: [String]) -> Set<Reading.Key> { Set(names.compactMap { Reading.Key($0, graph) }) }
        detached = keys(account?.detached.map(\.column) ?? [])
        kept = keys(account?.kept.compactMap(\.column) ?? [])
        owned = keys(account?.owned.map(\.from) ?? [])
        plain = account?.plain ?? []
        mentioned = keys(account?.mentions.filter { $0.answer == .keep }.map(\.column) ?? [])
        func tables<Line>(_ lines: [Line], _ name: (Line) -> String) -> [UInt32: Line] {
            let found = lines.compactMap { line in TablePath(name(line), graph).map { ($0.oid, line) } }
            return Dictionary(found) { first, _ in first }
        }
        shared = tables(account?.collateral ?? []) { $0.table }.mapValues { Shared($0) }
        written = tables(account?.written ?? []) { $0.table }
    }

    /// What becomes of rows of a table that others share.
    struct Shared {
        let answer: CollateralAnswer
        /// Whom they go over to, as SQL.
        let reassigned: String?
        let why: String

        init(_ line: App.Account.Collateral) {
            why = line.why
            switch line.answer {
            case .delete: (answer, reassigned) = (.delete, nil)
            case .keep: (answer, reassigned) = (.keep, nil)
            case .detach: (answer, reassigned) = (.detach, nil)
            case .reassign(let expression): (answer, reassigned) = (.detach, expression)
            }
        }
    }

    /// Whether a column refers to nothing, whatever it looks like.
    func isPlain(_ column: [String]) -> Bool { plain.contains { $0.covers(column) } }

    /// Whether what stands in a column was meant to stay, or is of the rows that triggers wrote and that were judged.
    func stays(_ column: Reading.Key) -> Bool {
        kept.contains(column) || mentioned.contains(column) || written[column.table] != nil
    }

    /// Whether a row is to lose what it refers with, rather than go.
    func detaches(_ link: AccountLink) -> Bool {
        let names = link.column.map { [$0] } ?? link.reference.map { $0.columns.map(\.name) } ?? []
        return names.contains { detached.contains(Reading.Key(table: link.child, column: $0)) }
    }
}
