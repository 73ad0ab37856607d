package import Accounts
import Acts
import Asking
import PQ

extension ArchiveRefusal: Worded {
    package func words(_ wording: Wording) -> Words {
        switch self {
        case .noFile(let path):
            Words(
                "\(path) is not a regular file, so it is not an archive",
                hint: "name the file that `usher account delete --archive FILE` wrote")
        case .noArchive(let path): Words("\(path) is no archive that this version of usher wrote, or not all of one")
        case .changed(let path):
            Words("\(path) was changed since it was written: its checksum is another one", hint: Self.original)
        case .otherSeal(let path, let operation):
            Words(
                "\(path) is not what the deletion \(operation) wrote: the audit knows another checksum",
                hint: Self.original)
        case .elsewhere(let path, let operation, let database):
            Words(
                "\(path) is of another database: the audit log here doesn't have deletion \(operation)",
                hint: "it was written in a database that was called \(database); restore it there")
        case .restored(let operation): Words("it was restored already, by operation \(operation)")
        case .noKey(let table):
            Words(
                "\(pasted(table)) has no key, so its rows cannot be found again to be restored",
                hint: "give it a primary key, or delete without --archive")
        case .movesKey(let column):
            Words(
                "a line writes into \(column), which is part of the key by which a restore finds rows again",
                hint: "delete without --archive")
        case .unreadable(let table):
            Words(
                "triggers changed or deleted rows of \(pasted(table)), and this role can't read all of it",
                hint: "let it read all rows and columns of the table, or delete without --archive")
        case .outsideEffects(let effects):
            Words(
                "usher tests an archive by restoring it, and \(effects.first?.outside ?? "")",
                hint: "--allow-effects runs it all the same; without --archive nothing is restored",
                details: effects.dropFirst().map(\.outside))
        case .unrestorable(let cause): Self.unrestorable(cause.words(wording))
        case .noTable(let table): Words("there is no table \(pasted(table)) any more")
        case .refused(let place, let error):
            Words(
                (place.isEmpty ? "" : "\(place): ") + error.message,
                hint: error.searchPathHint ?? error.hint
                    ?? (error.state == .foreignKeyViolation ? "rows that the archive refers to are missing" : nil),
                details: [error.detail, error.context].compactMap { $0 })
        case .thereAgain(let table, let others, let all):
            Words(
                "\(pasted(table)): \(others) of \(all) rows are there again already",
                hint: "somebody else made them since the deletion")
        case .notBack(let table, let missing, let all):
            Words(
                "\(pasted(table)): \(missing) of \(all) rows do not come back",
                hint: "no error was raised, so a trigger of the table keeps them out")
        }
    }

    private static let original = "take the archive as the deletion wrote it"

    private static func unrestorable(_ why: Words) -> Words {
        Words(
            "usher tried to restore the archive, and it failed: \(why.complaint)",
            hint: "set that right, or delete without --archive", details: why.details + (why.hint.map { [$0] } ?? []))
    }
}
