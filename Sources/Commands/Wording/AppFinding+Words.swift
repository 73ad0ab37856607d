package import AppFile
package import Inquiries

extension AppFinding {
    /// The mistake, its place and a hint, for the author of the file.
    package var diagnostic: Diagnostic {
        let said = [meant.map { "did you mean \($0)?" }, meant == nil ? mistake.hint : mistake.choice]
        let hint = said.compactMap { $0 }.joined(separator: " ")
        return Diagnostic(
            mistake.sentence, in: place.file, at: place.offset, hint: hint.isEmpty ? nil : hint, severity: severity)
    }
}

extension AppCheck.Obstacle {
    package var sentence: String {
        let why =
            switch self {
            case .readOnly: "the session is read-only"
            case .noTemporaryTables: "your role lacks TEMPORARY on this database"
            }
        return "usher didn't check rights, secrets and writes: \(why)"
    }
}

extension AppMistake {
    fileprivate var sentence: String {
        switch self {
        case .ofFile(let diagnostic): diagnostic.message
        case .statement(let objection): objection.message
        case .name(let directive, let objection): "\(directive): \(objection.message)"
        case .noColumn(let name): "the select has no column \(name)"
        case .shape(let columns, let wanted):
            "the select must have \(wanted.count) columns (\(wanted.joined(separator: ", "))), not \(columns)"
        case .kind(let column):
            "the column \(column.name) must be \(column.kind == .time ? "a time or a day" : "a number")"
        case .bounds(let name, let type, _): "\(name) has the type \(type), but a range LOW..HIGH needs a number"
        case .noFact(let name): "{\(name)} is not a fact here"
        case .noFactOfLink(let title, let name): "@link \(title): {\(name)} is not a fact here"
        case .noFactToMean(let name): "@fact \(name): there is no such fact"
        case .unmet(let requirement): "@requires \(requirement): this database doesn't have it"
        case .noAssumption(let name): "@assume \(name): no decision has this fact"
        case .readSecret(let path):
            "this reads \(path), a @secret, which operators have no right to read"
        case .undeclaredSecret(let path):
            "this reads \(path), which looks like a secret, but the app file doesn't declare it"
        case .unread(let message): message
        case .lacks(let privilege, let path): "your role lacks \(privilege.rawValue.uppercased()) on \(path)"
        case .writing: "this writes or locks rows, but only a @do can"
        case .innerName(let name, let column): "here \(name) means \(column), not the fact \(name)"
        case .impossible(let column, let value, _): "\(column) is never '\(value)'"
        case .mustNotBeEmpty(let column): "\(column) must not be empty"
        case .cannotBeWritten(let column): "the database generates \(column), so @set can't change it"
        case .goesAnyway(let column):
            "\(column) is in the user's own row, which a deletion always deletes"
        case .heldFast(let column, let table):
            "\(table) has a foreign key to \(column) without ON UPDATE CASCADE, so @set can't change it"
        case .cannotOutlive(let column, let table):
            "\(column) has a foreign key to \(table), so the row can't stay when that row is deleted"
        case .cannotStay(let table, let root):
            "every row of \(table) must refer to \(root), so no row can stay without it"
        case .wayCannotBeEmpty(let column, let table):
            "\(column) must not be NULL, so no row can stay without its row of \(table)"
        case .wayLeadsNowhere(let column): "via \(column) has no effect: the column has no foreign key and no @refers"
        case .answersForNothing(let column):
            "usher doesn't know which table \(column) refers to: write `@refers \(column) -> TABLE.COLUMN`"
        case .hasNoEffect(let table):
            "this line has no effect, because rows of \(table) don't belong to users: there is no foreign key and no @refers"
        case .ownsNothing(let column, let target): "there is no foreign key from \(column) to \(target)"
        case .ownsUsers(let column): "\(column) refers to users, but an account can't own another account"
        }
    }

    fileprivate var hint: String? {
        switch self {
        case .ofFile(let diagnostic): diagnostic.hint
        case .statement(let objection), .name(_, let objection): objection.hint
        case .readSecret:
            "read a generated column or a view of the owner instead that contains only the answer"
        case .undeclaredSecret(let path): "declare it in @account: `-- @secret \(path)`, or `-- @ignore \(path) : WHY`"
        case .unread, .lacks: "the file can be right; check it as the owner of the tables"
        case .writing: "move it to the @do of an @action"
        case .innerName(let name, _): "write facts.\(name) for the fact, or TABLE.\(name) for the column"
        case .impossible: choice
        default: nil
        }
    }

    /// The values to choose from, also where the meant one is known.
    fileprivate var choice: String? {
        if case .impossible(_, _, let allowed) = self { "it is one of \(allowed.joined(separator: ", "))" } else { nil }
    }
}
