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

extension [AppCheck.Unseen] {
    /// What nobody knows after this.
    package var words: [String] {
        func those(_ what: AppCheck.Unseen.Matter) -> Self { filter { $0.what == what } }
        let some = those(.rows).filter { $0.seen > 0 }
        let none = those(.rows).filter { $0.seen == 0 }
        let ofSome = some.first.map { first in
            "all users are many, so one row a user was looked for of \(first.seen) of them alone: \(some.names)"
        }
        let (slow, ofNone) = (those(.changedUsers), those(.changedUsersOfNone))
        return [
            ofSome, none.isEmpty ? nil : "one row a user was not looked for, since it takes too long: \(none.names)",
            slow.isEmpty
                ? nil
                : "whether others would be changed than the subjects was not found out, since it takes too long: \(slow.names)",
            ofNone.isEmpty
                ? nil
                : "there are no users yet, and only they tell whether others would be changed than the subjects: \(ofNone.names)",
        ]
        .compactMap { $0 }
    }

    private var names: String {
        var seen: Set<String> = []
        return map(\.name).filter { seen.insert($0).inserted }.joined(separator: ", ")
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
        case .shape(let columns, let wanted):
            "the select must have \(wanted.count) columns (\(wanted.joined(separator: ", "))), not \(columns)"
        case .kind(let column):
            "the column \(column.name) must be \(column.kind == .time ? "a time or a day" : "a number")"
        case .noCondition(let type): "a condition holds or does not, and this is \(type)"
        case .turnedMembers(let noun): "@members selects the key of the \(noun) first, and then the user"
        case .member(let owner, let type, let wanted): "the key of the \(owner) is \(wanted), and this is \(type)"
        case .strange(let owner, let column, let wanted):
            "the key of the \(owner) is \(wanted), and this is \(column)"
        case .apart(let one, let other): "this compares \(one) with \(other), and they mean different things"
        case .expectedApart(let decision, let column, let type, let per, let wanted):
            "@expect \(decision) of \(column): \(column) is \(type), but \(decision) has one answer for each \(per), which is \(wanted)"
        case .bounds(let name, let type, _): "\(name) is \(type), and only a number lies between two others"
        case .noFact(let name): "{\(name)} is no fact here"
        case .noFactOfLink(let title, let name): "@link \(title): {\(name)} is no fact here"
        case .noFactToMean(let name): "@fact \(name): there is no such fact"
        case .unmet(let requirement): "@requires \(requirement): it does not exist"
        case .reachesOthers(let subject, let other):
            "done to the user \(subject), this @do would change the user \(other)"
        case .reachesRows(let subject, let other, let table):
            "done to the user \(subject), this @do would also write a row of \(table) that is the user \(other)'s"
        case .gate: "this @do asks of its subjects only whether it is done at all, so it is done to all rows"
        case .refusesAll: "this holds of everybody, so no account could be deleted"
        case .unreadOptional(let name): "@optional \(name): it does not exist, and nothing would read it"
        case .repeatedKey(let name, let key, _): "\(name) has several rows with the key \(key), and it is one a user"
        case .noAssumption(let name): "@assume \(name): no decision knows it"
        case .shownSecrets(let names, _):
            names.count == 1
                ? "\(names[0]) is a @secret and would be shown"
                : "\(names.joined(separator: ", ")) are each a @secret and would be shown"
        case .readSecret(let path):
            "this reads \(path), a @secret: operators run it themselves and would need a grant on that column"
        case .undeclaredSecrets(let paths):
            paths.count == 1
                ? "\(paths[0]) is called like a secret, and no line says that it is one"
                : "\(paths.joined(separator: ", ")) are called like secrets, and no line says that they are"
        case .seenSecrets(let paths, _):
            paths.count == 1
                ? "\(paths[0]) would be shown, and its values look like secrets"
                : "\(paths.joined(separator: ", ")) would be shown, and their values look like secrets"
        case .unread(let message, _): "not checked, for the role: \(message)"
        case .writing(let function): "\(function) writes, and what is shown may not"
        case .opaque(let function): "nobody can tell from outside whether \(function) only reads"
        case .incomparable(let from, let to, let fromType, let toType, _):
            "@refers \(from) -> \(to): \(fromType) does not compare with \(toType)"
        case .impossible(let column, let value, _): "\(column) is never '\(value)'"
        case .unmentioned(let decision, let column, let values):
            "no rule of \(decision) mentions that \(column) can be \(values.map { "'\($0)'" }.joined(separator: " or "))"
        case .mustNotBeEmpty(let column): "\(column) must not be empty"
        case .leftOut(let columns):
            columns.joined(separator: ", ")
                + " must not be empty, and this says nothing of \(columns.count == 1 ? "it" : "them")"
        case .mayBeEmpty(let column, let parameter): "\(column) must not be empty, and :\(parameter) may be"
        case .cannotBeWritten(let column): "\(column) is generated by the database, and cannot be overwritten"
        case .goesAnyway(let column): "\(column) is of the user's own row, which goes, so nothing is left to overwrite"
        case .heldFast(let column, let table):
            "\(table) refers to \(column) and does not follow it, so it cannot be overwritten"
        case .cannotOutlive(let column, let table):
            "\(column) has a foreign key to \(table), and cannot outlive what it refers to"
        case .cannotStay(let table, let root):
            "every row of \(table) must refer to \(root), so none can stay without it"
        case .wayCannotBeEmpty(let column, let table):
            "\(column) must refer to \(table), so no row can stay without it"
        case .wayLeadsNowhere(let column): "\(column) leads nowhere: no foreign key and no @refers holds it"
        case .answersForNothing(let column):
            "no foreign key and no line says what \(column) refers to: write `@refers \(column) -> TABLE.COLUMN`"
        case .ownsNothing(let column, let target): "no foreign key leads from \(column) to \(target)"
        case .ownsUsers(let column): "\(column) leads to users, and nobody goes with another account"
        case .noHeir(let literal, let users): "\(literal) is no row of \(users), so nobody could take over shared rows"
        case .nobodyWrites(let table, let unread):
            "no trigger writes into \(table) while an account goes"
                + (unread.isEmpty ? "" : ", unless \(unread.joined(separator: ", ")) does, which nobody can read")
        case .onlyChanges(let table):
            "triggers change rows of \(table) and add none, so there is nothing to remove: they stay, or are no copies"
        case .changesToo(let table):
            "triggers add rows of \(table) and change others, and where it has no key nobody can tell which to remove"
        }
    }

    /// What to do about it, or more of what it is about.
    fileprivate var hint: String? {
        switch self {
        case .ofFile(let diagnostic): diagnostic.hint
        case .statement(let objection): objection.hint
        case .shownSecrets(_, let others): others == 0 ? nil : "the same goes for \(Self.places(others))"
        case .readSecret:
            "read a generated column instead, or a view or a function of the owner, which returns only the answer"
        case .seenSecrets(let paths, let others):
            "where nobody is to see them, show something else and say: "
                + paths.map { "-- @secret \($0)" }.joined(separator: ", ")
                + "; where they are none: " + paths.map { "-- @ignore \($0) : WHY" }.joined(separator: ", ")
                + (others == 0 ? "" : "; the same goes for \(Self.places(others))")
        case .undeclaredSecrets(let paths): paths.map { "-- @secret \($0)" }.joined(separator: "\n")
        case .unread(_, let others):
            "this is the role and not the file" + (others == 0 ? "" : "; the same goes for \(Self.places(others))")
        case .turnedMembers: "here they stand the other way round"
        case .writing: "call it in a @do"
        case .opaque(let function): "where it does, mark it stable: alter function \(function) stable"
        case .strange, .apart: "where they mean the same, say so in @account: @refers A -> B"
        case .incomparable(_, _, _, _, let spelled):
            spelled.map { "say which text a number is, with an expression in brackets: \($0)" }
        case .reachesRows: "whom it concerns besides, an argument of the type user can name"
        case .gate, .reachesOthers:
            "compare a column of those rows with one of its subjects, or say @on nothing where it is nobody's own"
        case .refusesAll: "ask for what only some have, as in `plan = 'paid'`"
        case .impossible: choice
        case .repeatedKey(_, _, let takesSeveral):
            takesSeveral ? "where a user has several, `@per COLUMN` says what each is for" : nil
        case .name, .noColumn, .shape, .kind, .noCondition, .member, .expectedApart, .bounds, .noFact, .noFactOfLink,
            .noFactToMean,
            .unmet, .noAssumption,
            .unmentioned, .unreadOptional,
            .mustNotBeEmpty, .leftOut, .mayBeEmpty, .cannotBeWritten, .goesAnyway, .heldFast,
            .cannotOutlive,
            .cannotStay,
            .wayCannotBeEmpty,
            .wayLeadsNowhere, .answersForNothing,
            .ownsNothing, .ownsUsers, .noHeir, .nobodyWrites,
            .onlyChanges, .changesToo:
            nil
        }
    }

    /// What there is to choose from, also where it is known what was meant.
    fileprivate var choice: String? {
        if case .impossible(_, _, let allowed) = self { "it is one of \(allowed.joined(separator: ", "))" } else { nil }
    }

    private static func places(_ count: Int) -> String { "\(count) other place\(count == 1 ? "" : "s")" }
}
