package import Accounts
import Asking
import Acts
import Catalog
import PQ

extension DeletionRefusal: Worded {
    package func words(_ wording: Wording) -> Words {
        switch self {
        case .archiveInBatches:
            Words("an archive is written in one transaction; batches are many", hint: "leave one of them out")
        case .archiveOfTheRest:
            Words(
                "a restoration brings back the row of the account, which is gone already, so there is nothing to archive for it",
                hint: "leave --archive out")
        case .harmfulSetting(let name):
            Words(
                "--set \(name): only custom settings can be set, and none of storage.* or usher.*",
                hint: "a custom setting is named by words with dots between, such as request.jwt.claim.sub")
        case .unfinished(let operation):
            Words(
                "the same deletion was begun and not finished, as operation \(operation)",
                hint: "the same command with --resume \(operation) continues it; nothing is done twice")
        case .notUnfinished(let operation):
            Words(
                "\(operation) is no unfinished deletion of these accounts", hint: "`usher audit list` shows them")
        case .namesPerson:
            Words(
                "the reason or the ticket names the person, and would outlive the account in the audit",
                hint: "say why without saying who; the audit knows the operation by its id")
        case .open(let obstacles, let total): Self.words(for: obstacles, of: total)
        case .outsideEffects(let effects):
            Words(
                "a dry run would not stay one: \(effects.first?.outside ?? "")",
                hint: "--allow-effects runs it all the same; `usher account plan` never does",
                details: effects.dropFirst().map(\.outside))
        case .otherEnvironment:
            Words("the environment changed in the meantime", hint: "run the command again")
        case .changedSincePlan(let moved):
            Words(
                "the account has changed since the plan", hint: "look at `usher account plan` again",
                details: moved.map(\.sentence))
        case .noIndex(let table, let remedy, let error):
            Words("no index can be built on \(pasted(table)): \(error.message)", hint: "have its owner run: \(remedy)")
        case .notChanged(let table, let columns, let error):
            Words(
                "\(pasted(table)): rows that stay cannot get another value in \(columns.joined(separator: ", ")): \(error.message)",
                hint: error.searchPathHint ?? error.hint, details: Self.details(error))
        case .noQueue(let table): Words("there is no table \(pasted(table)), to which the app file adds a row")
        case .notAdded(let table, let why, let error):
            Words(
                "\(pasted(table)) does not take what the app file adds (\(why)): \(error.message)",
                hint: error.searchPathHint ?? error.hint, details: Self.details(error))
        case .addedGoes(let table):
            Words(
                "the deletion would delete the rows that the app file adds to \(pasted(table))",
                hint:
                    "leave the column empty by which it refers to the account, or keep such rows: @keep \(pasted(table)) …"
            )
        case .remade(let tables):
            Words(
                "a trigger \(tables.isEmpty ? "drops a table" : "empties or alters \(tables.map { pasted($0) }.joined(separator: ", "))") "
                    + "as a whole, which can neither be told row by row nor restored",
                hint: "TRUNCATE is not counted; a DELETE is")
        case .refused(let error, let place, let table, let culprit, let settings):
            Words(
                "\(place.map { "\(pasted($0)): " } ?? "")\(error.message)",
                hint: Self.hint(error, table, settings),
                details: Self.details(error)
                    + (culprit.map { ["the trigger \($0.name) on \(pasted($0.table)) calls \($0.function)"] } ?? []))
        case .writtenAndChanged(let table):
            Words(
                "triggers add and change rows of \(pasted(table)), so usher can't tell which ones `@written … : remove` is about",
                hint: "write `@written \(pasted(table)) : keep`")
        case .leftBehind(let left, let triggers):
            Words(
                "rows would be left behind, so nothing was deleted",
                hint: "no error was raised, so a trigger or a rule keeps or makes them; "
                    + "give the table a policy in the app file",
                details: left.map { Self.left($0, by: triggers[$0.table]) })
        case .writtenByTriggers(let written, let path, let error):
            Words(
                "triggers wrote \(written.rows == 1 ? "a row" : "\(written.rows) rows") about this person into "
                    + "\(pasted(written.table)), which cannot be removed: \(error.message)",
                hint: error.state == .insufficientPrivilege
                    ? "grant delete on \(path) to this role"
                    : "if they have to stay, answer --undeclared '\(path)=keep'"
            )
        case .partly(let cause, let operation): Self.part(of: cause.words(wording), operation)
        case .noting(let cause, let notes): cause.words(wording).adding(notes.map(\.words))
        }
    }

    fileprivate static func details(_ error: ServerError) -> [String] {
        [error.detail, error.context].compactMap { $0 }
    }

    private static func part(of words: Words, _ operation: String) -> Words {
        Words(
            "\(words.complaint); some batches are deleted",
            hint: "the same command with --resume \(operation) goes on with what is left, and "
                + "`usher audit show \(operation)` tells what went", details: words.details)
    }
}

extension DeletionRefusal {
    /// What there is to answer or to set right, all of it at once; so many rows would go.
    fileprivate static func words(for obstacles: [AccountPlan.Obstacle], of total: Int) -> Words {
        var (open, ways, details): ([String], [String], [String]) = ([], [], [])
        var (others, columns, shared): ([AccountPlan.Obstacle], [UndeclaredColumn], [AccountPlan.Entry]) = ([], [], [])
        for obstacle in obstacles {
            switch obstacle {
            case .undeclared(let held): columns += held
            case .shared(let entries): shared += entries
            default: others.append(obstacle)
            }
        }
        if !others.isEmpty {
            open.append("this account cannot be deleted as things are")
            ways.append(others.compactMap(\.remedy).first ?? "`usher account plan` shows the rest")
            details += others.map(\.message)
        }
        if let first = columns.first {
            open.append(
                "\(columns.count.of("undeclared column")) \(columns.count == 1 ? "holds" : "hold") a key or an email of the account"
            )
            ways.append(
                "--undeclared '\(first.path)=delete' (or detach, or keep) answers for one, --undeclared delete for all; "
                    + "@refers or @ignore in the app file for good")
            details += columns.map { "\($0.path): \($0.rows.of("row")), \($0.why)" }
        }
        if !shared.isEmpty {
            let rows = shared.reduce(0) { $0 + $1.shared }
            open.append("\(rows) of \(total) rows are shared with other users, who would lose them")
            let mayStay = shared.contains(where: \.mayStay)
            ways.append(
                "--shared delete deletes them, too"
                    + (mayStay ? "; --shared detach lets them stay without the reference" : ""))
            details += shared.map { "\(pasted($0.table)): \($0.shared) of \($0.rows)" }
        }
        return Words(open.joined(separator: "; "), hint: ways.joined(separator: "; "), details: details)
    }
}

extension DeletionRefusal {
    fileprivate static func left(_ rows: TableRows, by trigger: NamedTrigger?) -> String {
        let what =
            rows.rows == 1 ? "1 row is as it was, or refers" : "\(rows.rows) rows are as they were, or refer"
        return "\(pasted(rows.table)): \(what) to what is gone"
            + (trigger.map { ": the trigger \($0.name) (\($0.function)) may keep them" } ?? "")
    }
}

extension DeletionRefusal {
    /// What helps against what the server refused.
    fileprivate static func hint(_ error: ServerError, _ table: String?, _ settings: [String]?) -> String {
        if let hint = error.searchPathHint { return hint }
        switch error.state {
        case .triggeredDataChange:
            return "the trigger changes rows that are to go: let it do so after the deletion "
                + "(create trigger … after delete), or not to those"
        case .insufficientPrivilege where error.context == nil:
            return "grant select, update, delete on \(table.map { pasted($0) } ?? "it") to this role"
        case .insufficientPrivilege:
            return "a trigger does so with the rights of this role: grant it that, or let the function run as its owner"
        case .foreignKeyViolation:
            return "rows keep referring to what should be deleted: a trigger, a rule or the app keeps them, "
                + "or the triggers of the foreign key are off"
        default:
            return settings.map { "a trigger asks who acts: \(Words.settings($0)) says it" }
                ?? "the database itself refuses; give the table a policy in the app file (@keep), or change the trigger"
        }
    }
}

extension Words {
    /// How settings are given that say who acts, where it is known which.
    static func settings(_ names: [String]) -> String {
        if names.isEmpty { return "--set NAME=VALUE, such as --set request.jwt.claim.sub=ID," }
        return names.map { "--set \($0)=VALUE" }.joined(separator: " or ")
    }
}
