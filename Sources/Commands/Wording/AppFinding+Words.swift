package import AppFile
package import Inquiries

extension AppFinding {
    /// What is wrong, where, and what helps, for whoever writes the file.
    package var diagnostic: Diagnostic {
        let said = [meant.map { "did you mean \($0)?" }, meant == nil ? mistake.hint : mistake.choice]
        let hint = said.compactMap { $0 }.joined(separator: " ")
        return Diagnostic(
            mistake.sentence, in: place.file, at: place.offset, hint: hint.isEmpty ? nil : hint, severity: severity,
            others: others)
    }
}

extension AppMistake {
    /// What is wrong.
    fileprivate var sentence: String {
        switch self {
        case .ofFile(let diagnostic): diagnostic.message
        case .statement(let objection): objection.message
        case .name(let directive, let objection): "\(directive): \(objection.message)"
        case .noColumn(let name): "the select has no column \(name)"
        case .shape(let columns, let wanted, let names):
            "the select must have \(wanted) columns (\(names)), not \(columns)"
        case .noFact(let name): "{\(name)} is no fact here"
        case .noFactOfLink(let title, let name): "@link \(title): {\(name)} is no fact here"
        case .noFactToMean(let name): "@fact \(name): there is no such fact"
        case .unmet(let requirement): "@requires \(requirement): it does not exist"
        case .repeatedKey(let key): "@users has several rows with the key \(key), and it is one a user"
        case .shownSecret(let name, _): "\(name) is a @secret and would be shown"
        case .undeclaredSecret(let path): "\(path) is called like a secret, and no line says that it is one"
        case .unread(let message, _): "not checked, for the role: \(message)"
        case .writing(let function): "\(function) writes, and what is shown may not"
        case .incomparable(let from, let to, let fromType, let toType, _):
            "@reference \(from) -> \(to): \(fromType) does not compare with \(toType)"
        case .impossible(let column, let value, _): "\(column) is never '\(value)'"
        case .unmentioned(let decision, let column, let values):
            "no rule of \(decision) mentions that \(column) can be \(values.map { "'\($0)'" }.joined(separator: " or "))"
        case .mustNotBeEmpty(let column): "\(column) must not be empty"
        case .cannotOutlive(let column, let table):
            "\(column) has a foreign key to \(table), and cannot outlive what it refers to"
        case .cannotStay(let table, let root):
            "every row of \(table) must refer to \(root), so none can stay without it"
        case .wayCannotBeEmpty(let column, let table):
            "\(column) must refer to \(table), so no row can stay without it"
        case .wayLeadsNowhere(let column): "\(column) leads nowhere: no foreign key and no @reference holds it"
        case .holdsNoText(let column, let type): "\(column) is \(type), in which nobody can be made unknown"
        }
    }

    /// What to do about it, or more of what it is about.
    fileprivate var hint: String? {
        switch self {
        case .ofFile(let diagnostic): diagnostic.hint
        case .statement(let objection): objection.hint
        case .shownSecret(_, let others): others == 0 ? nil : "so it would in \(Self.places(others))"
        case .undeclaredSecret(let path): "-- @secret \(path)"
        case .unread(_, let others):
            "this is the role and not the file" + (others == 0 ? "" : "; the same goes for \(Self.places(others))")
        case .writing: "call it in a @do"
        case .incomparable(_, _, _, _, let spelled):
            spelled.map { "say which text a number is, with an expression in brackets: \($0)" }
        case .impossible: choice
        case .name, .noColumn, .shape, .noFact, .noFactOfLink, .noFactToMean, .unmet, .repeatedKey, .unmentioned,
            .mustNotBeEmpty, .cannotOutlive, .cannotStay, .wayCannotBeEmpty, .wayLeadsNowhere, .holdsNoText:
            nil
        }
    }

    /// What there is to choose from, also where it is known what was meant.
    fileprivate var choice: String? {
        if case .impossible(_, _, let allowed) = self { "it is one of \(allowed.joined(separator: ", "))" } else { nil }
    }

    private static func places(_ count: Int) -> String { "\(count) other place\(count == 1 ? "" : "s")" }
}
