import Changes
import Terminal

extension DatabaseRefusal {
    package var words: Words { words(of: nil) }

    /// What is said of it where it is known whose rows may be in the way.
    func words(of owners: RowOwners?) -> Words {
        switch name {
        case .citusAdded: Words("Citus was added to this database after usher", hint: Self.install)
        case .notInstalled: Words("the app file of \(self["app"]) is not installed", hint: Self.install)
        case .otherFile: Words("this app file of \(self["app"]) differs from the installed one", hint: Self.install)
        case .noAct: Words("`\(self["name"])` is not installed for \(self["app"])", hint: Self.install)
        case .noSelection: Words("`\(self["command"])` has no selection \(self["selection"])")
        case .noArgument: Words("there is no argument \(self["name"])")
        case .noValue: Words("\(self["name"]) is missing")
        case .notAmong:
            Words("\(self["name"]) must be one of \(facts.texts("choices").joined(separator: ", "))")
        case .notOfType: Words("\(self["name"]) is not a valid \(self["type"])")
        case .outOfRange: Words("\(self["name"]) must be from \(self["low"]) to \(self["high"])")
        case .otherTime: Words("changes always use the current time, not \(self["at"]); remove --at")
        case .noAttempt: Words("the outcome of an attempt must be refused, declined, forbidden, failed or lost")
        case .longAttempt: Words("the record of an attempt can have \(self["most"]) bytes at most")
        case .stranger: Words("\(self["key"]) does not exist in this database")
        case .gone: Words("\(self["key"]) was deleted in the meantime; nothing was changed")
        case .listedTwice:
            Words(
                "the app file lists \(self["key"]) more than once; nothing was changed",
                hint: "the select of the app file must have one row for each")
        case .noUser: Words("there is no user \(self["key"])")
        case .rootless:
            Words(
                "the app file of \(self["app"]) does not declare the table of accounts",
                hint: "add `@root TABLE.COLUMN` to the @account block of the app file")
        case .emptyNote: Words("a note can't be empty")
        case .longNote: Words("a note has at most 10,000 characters, and this has \(self["length"])")
        case .noText: Words("\(self["name"]) must be text")
        case .tooLong:
            Words("\(self["name"]) is too long: \(self["length"]) characters, at most \(self["most"])")
        case .illFormed: Words("\(self["name"]) of a step of a deletion is not valid")
        case .forbidden: forbidden
        case .hidden:
            Words(
                "row security hides rows of \(self["tables"]) from \(self["user"]), so usher can't change them all",
                hint: "the owner of the schema usher needs BYPASSRLS, or the policies that `usher roles sql` prints")
        case .noStates: Words("test states can't be used in production")
        case .needsReason:
            Words("a change in production needs a reason", hint: "add --reason TEXT, and --ticket ID if there is one")
        case .takesTwo:
            Words(
                "in production `\(self["command"])` needs two people: one requests it, another with the role "
                    + "\(self["role"]) who approves it", hint: "add --request")
        case .overCeiling:
            Words(
                "this changes \(self["rows"]) rows, more than the limit of \(self["ceiling"]); confirm it as a severe change"
            )
        case .openPath:
            Words(
                "operators can create, or have created, functions that actions would run",
                hint: "the owner or a superuser must run these lines first", details: facts.texts("remedies"))
        case .ownerAlone:
            Words(
                "Citus keeps \(self["table"]) on other servers, where accounts are deleted and restored by "
                    + "\(self["owner"]) alone, who owns the schema usher; nothing was done",
                hint: "connect as \(self["owner"]): since Postgres 18 that the rows went is looked at as the owner, to "
                    + "whom Citus does not show what another role has written")
        case .temporary:
            Words(
                "this session has temporary objects, which an action could mistake for the app's own",
                hint: "connect again; behind a pooler, run `discard temp` to remove what another client left")
        case .noCounters:
            Words(
                "the server does not count changed rows, so usher could not verify a change",
                hint: "ask a superuser to set track_counts to on")
        case .unaccounted: unaccounted
        case .unreached:
            Words(
                "Citus stores rows on \(self["servers"]) servers, and usher can't ask each of them what changed",
                hint: "distribute one table by a number, a text, a date or a uuid, so that it has rows everywhere")
        case .uncounted:
            Words(
                "this server does not count what it changes in \(self["table"]) (\(self["written"]) written, "
                    + "\(self["counted"]) counted); nothing was changed",
                hint:
                    "usher can't show or undo changes that are not counted; change the table on the server that stores its rows"
            )
        case .loose:
            Words(
                "`\(self["command"])` does not limit itself to the named users: with no users, it would still change "
                    + "\(self["rows"]) rows; nothing was changed",
                hint: "limit each @do to them, as in `where id = any (:users)`")
        case .others:
            Words(
                "`\(self["command"])` does not limit itself to the named users: it would change \(self["users"]) other users; "
                    + "nothing was changed",
                hint: "limit each @do to them; to change other users too, "
                    + "add an argument of the type user")
        case .strays:
            Words(
                "other rows refer to the rows it would delete; nothing was changed",
                details: facts.list("rows").map { row in
                    "\(row.text("table") ?? "") \(row.text("key") ?? "") would be \(row.text("kind") ?? "")d"
                })
        case .restless: Words("the statements change different tables each time they run")
        case .keyless:
            Words(
                "this changes rows of \(self["table"]), which has no key that identifies them",
                hint: "add a primary key to the table; without one usher can't show or undo a change")
        case .beside:
            Words(
                "this also writes \(self["names"]), which actions can't change; nothing was changed",
                hint: "check the triggers of the tables that it changes, and the functions they call")
        case .secretKey:
            Words(
                "this changes rows of \(self["table"]), whose key \(self["column"]) is a secret and is never recorded"
            )
        case .foreignTable:
            Words(
                "\(self["table"]) is a foreign table: this server does not count its rows and can't record them; "
                    + "nothing was changed", hint: "change it on the server that holds its rows")
        case .ledgerTable:
            Words("\(self["table"]) is part of the audit log, which apps can't change; nothing was changed")
        case .noRequest:
            Words("there is no request \(self["request"])", hint: "`usher request list --all` lists them")
        case .answered:
            Words(
                "request \(self["request"]) is already answered",
                hint: "`usher request show \(self["request"])` says by whom")
        case .needless:
            Words("you can run `\(self["command"])` yourself; it needs no approval", hint: "leave --request out")
        case .moved: Words("the data that request \(self["request"]) depends on has changed since it was made")
        case .noAnswer: Words("the answer must be decline or withdraw")
        case .askedForNobody: Words("the request names no user")
        case .askedAlready:
            Words(
                "request \(self["request"]) already asks for this",
                hint: "`usher request show \(self["request"])` shows it")
        case .ownRequest:
            Words("you made this request yourself", hint: "`usher request withdraw \(self["request"])` withdraws it")
        case .otherRequest: Words("this command differs from the one in request \(self["request"])")
        case .notTheAsker: Words("only \(self["asker"]), who made the request, can withdraw it")
        case .mayNotApprove:
            Words("approving `\(self["command"])` needs the role \(self["role"]), which \(self["user"]) doesn't have")
        case .mayNotDecline: Words("declining it needs the role \(self["role"]), which \(self["user"]) doesn't have")
        case .takesAnother:
            Words("`\(self["command"])` needs two people, and you made the request: somebody else must approve it")
        case .noBulk: Words("there is no bulk change \(self["operation"])")
        case .otherBulk:
            Words(
                "operation \(self["operation"]) was another change, or had other users",
                hint: "repeat the same command with the same app file")
        case .otherList:
            Words(
                "the list of users of \(self["operation"]) was edited after it began",
                hint: "`usher audit verify` shows more; the finished part can be undone")
        case .unfinished:
            Words(
                "operation \(self["operation"]) is the same change and is not finished",
                hint: "the same command with --resume \(self["operation"]) continues it; nothing is done twice",
                details: [self["operation"]])
        case .notUnfinished: Words("operation \(self["operation"]) is already \(self["outcome"])")
        case .partsUndone:
            Words(
                "parts of operation \(self["operation"]) are undone, so usher can't continue it",
                hint: "undo the rest of it")
        case .doneMeanwhile:
            Words(
                "somebody else did this in the meantime; nothing was done twice",
                hint: "`usher audit list` shows by whom")
        case .noOperation:
            Words("there is no operation \(self["operation"])", hint: "`usher audit list` lists them")
        case .undone:
            facts.text("by").map {
                Words("it is already undone, by operation \($0)", hint: "`usher audit undo \($0)` does it again")
            } ?? Words("it is already undone")
        case .erased: Words("the record of what it changed was erased with the user's account")
        case .final: Words("\(self["command"]) cannot be undone")
        case .notDone: Words("the operation was \(self["outcome"]), so there is nothing to undo")
        case .otherKind: Words("an operation of the kind \(self["kind"]) cannot be undone")
        case .nothingLeft: Words("nothing of it is left to undo")
        case .otherTable: Words("\(self["table"]) was altered after the operation ran")
        case .secretRows:
            Words(
                "\(self["table"]) has the secret column \(self["column"]), which is never recorded, so usher can't restore its rows"
            )
        case .secretColumn:
            Words(
                "it changed \(self["column"]) of \(self["table"]), a secret that is never recorded, so usher can't restore it"
            )
        case .changedSince:
            Words("its rows were changed again later; nothing was undone", details: rows(of: owners))
        case .notRestored:
            Words("usher can't restore it; nothing was changed", details: rows(of: owners))
        case .restored: Words("it was already restored, by operation \(self["by"])")
        case .irreversible:
            Words(
                (["nothing that it did can be undone"]
                    + (facts.member("because").flatMap(LeftBehind.init).map { [$0.sentence] } ?? []))
                    .joined(separator: ": "))
        }
    }

    private static let install = "the owner installs it: `usher install --app FILE`"

    private var forbidden: Words {
        let asking = holds("may_ask") ? "request it with --request; or " : ""
        return Words(
            "`\(self["command"])` needs the role \(self["role"]), which \(self["user"]) doesn't have",
            hint: asking + "ask an administrator to grant it: \(self["remedy"])")
    }

    private var unaccounted: Words {
        let (counted, found) = (facts.texts("counted"), facts.texts("found"))
        return Words(
            "usher can't verify every change of \(self["table"])",
            hint: counted.count < 3 || found.count < 2
                ? nil
                : "the server counted \(counted[0]) inserted, \(counted[1]) updated and \(counted[2]) deleted rows; "
                    + "\(found[0]) new and \(found[1]) missing ones were found")
    }

    /// The rows that are in the way, each by whose it is where that is known, else by its key.
    private func rows(of owners: RowOwners?) -> [String] {
        facts.list("rows").map { row in
            let unlike = RowUnlike(row.text("unlike") ?? "", names: row.text("names"))
            guard let owner = owners?.owner(of: row.text("table"), row.texts("of")) else {
                return "\(row.text("key") ?? "") \(unlike?.sentence ?? "")"
            }
            return "\(owner.label): \(unlike?.sentence(of: row.text("table")) ?? "")"
        }
    }
}

extension LeftBehind {
    fileprivate init?(_ facts: JSON) {
        self.init(facts.text("left") ?? "", table: facts.text("table") ?? "", names: facts.text("names"))
    }
}

extension RowUnlike {
    /// The same of a row of a table.
    func sentence(of table: String?) -> String { (table.map { "\($0) " } ?? "") + sentence }

    /// How a row is not as it is expected.
    var sentence: String {
        switch self {
        case .gone: "is gone"
        case .back: "exists again"
        case .changed(let columns): "changed since in \(columns)"
        case .other: "is not as it was"
        }
    }
}

extension LeftBehind {
    /// What an undoing leaves as it is.
    var sentence: String {
        switch self {
        case .keyless(let table): "rows that were added to \(table), which has no key, are kept"
        case .overwritten(let columns, let table):
            "a trigger overwrites \(columns) of \(table), so the undo does not restore it"
        case .erased(let rows):
            "what was done to \(rows.of("row")) was erased together with a person, and is not undone"
        case .outside(let function, let place):
            "there is no preview, because \(function) of \(place) may have effects that a rollback doesn't undo"
        }
    }
}
