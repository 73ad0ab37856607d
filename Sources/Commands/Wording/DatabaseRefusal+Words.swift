import Changes
import Terminal

extension DatabaseRefusal {
    package var words: Words { words(of: nil) }

    /// What is said of it where it is known whose rows may be in the way.
    func words(of owners: RowOwners?) -> Words {
        switch name {
        case .citusAdded: Words("Citus was added to this database after usher", hint: Self.install)
        case .notInstalled: Words("the app file of \(self["app"]) is not installed", hint: Self.install)
        case .otherFile: Words("this is not the app file of \(self["app"]) that is installed", hint: Self.install)
        case .noAct: Words("`\(self["name"])` is not among what was installed of \(self["app"])", hint: Self.install)
        case .noSelection: Words("`\(self["command"])` knows no selection \(self["selection"])")
        case .noArgument: Words("there is no argument \(self["name"])")
        case .noValue: Words("\(self["name"]) is missing")
        case .notAmong:
            Words("\(self["name"]) must be one of \(facts.texts("choices").joined(separator: ", "))")
        case .notOfType: Words("\(self["name"]) is no \(self["type"])")
        case .outOfRange: Words("\(self["name"]) must be from \(self["low"]) to \(self["high"])")
        case .otherTime: Words("an act is decided for now, and not for \(self["at"])")
        case .noAttempt: Words("an attempt is refused, declined, forbidden, failed or lost")
        case .longAttempt: Words("what was tried is recorded in \(self["most"]) bytes at most")
        case .stranger: Words("there is no \(self["key"]) here")
        case .gone: Words("\(self["key"]) is gone meanwhile; nothing was changed")
        case .listedTwice:
            Words(
                "the app file lists \(self["key"]) more than once; nothing was changed",
                hint: "the select of the app file must have one row for each")
        case .noUser: Words("there is no user \(self["key"])")
        case .rootless:
            Words(
                "nobody could tell with which account this of \(self["app"]) has to go",
                hint: "say in the app file what an account is a value of: @account with @root TABLE.COLUMN")
        case .emptyNote: Words("a note says something")
        case .longNote: Words("a note has at most 10,000 characters, and this has \(self["length"])")
        case .noText: Words("\(self["name"]) is not a text")
        case .tooLong:
            Words("\(self["name"]) may have \(self["most"]) characters at most, and \(self["length"]) were given")
        case .illFormed: Words("\(self["name"]) of a part of a deletion is not what it has to be")
        case .forbidden: forbidden
        case .hidden:
            Words(
                "hidden by row security: \(self["user"]) may not change every row of \(self["tables"])",
                hint: "the owner of the schema usher needs BYPASSRLS, or the policies that `usher roles sql` prints")
        case .noStates: Words("test states are impossible in production")
        case .needsReason:
            Words("a change in production needs a reason", hint: "add --reason TEXT, and --ticket ID if there is one")
        case .takesTwo:
            Words(
                "in production `\(self["command"])` takes two: one who asks for it, and another with the role "
                    + "\(self["role"]) who approves it", hint: "add --request")
        case .overCeiling:
            Words(
                "this changes \(self["rows"]) rows, more than \(self["ceiling"]); it has to be confirmed as severe")
        case .openPath:
            Words(
                "operators may create functions, or did, that acts would run",
                hint: "the owner, or a superuser, runs these lines first", details: facts.texts("remedies"))
        case .ownerAlone:
            Words(
                "Citus keeps \(self["table"]) on other servers, where accounts are deleted and restored by "
                    + "\(self["owner"]) alone, who owns the schema usher; nothing was done",
                hint: "connect as \(self["owner"]): since Postgres 18 that the rows went is looked at as the owner, to "
                    + "whom Citus does not show what another role has written")
        case .temporary:
            Words(
                "this session holds temporary objects, and what an act calls could take them for those of the app",
                hint: "connect anew; behind a pooler, `discard temp` ends what another client left in it")
        case .noCounters:
            Words(
                "the server does not count what is changed, so no change could be accounted for",
                hint: "a superuser has to set track_counts to on")
        case .unaccounted: unaccounted
        case .unreached:
            Words(
                "Citus keeps rows on \(self["servers"]) servers in a way in which nobody can ask what was changed there",
                hint: "distribute one table by a number, a text, a date or a uuid, so that it has rows everywhere")
        case .uncounted:
            Words(
                "this server does not count what it changes in \(self["table"]) (\(self["written"]) written, "
                    + "\(self["counted"]) counted); nothing was changed",
                hint: "what is not counted can be neither shown nor undone; change it where its rows lie")
        case .loose:
            Words(
                "`\(self["command"])` does not keep to its subjects: asked to do it to nobody, it would still change "
                    + "\(self["rows"]) rows; nothing was changed",
                hint: "let the condition of each @do name them, as in `where id = any (:users)`")
        case .others:
            Words(
                "`\(self["command"])` does not keep to its subjects: it would change \(self["users"]) other users; "
                    + "nothing was changed",
                hint: "let the condition of each @do name them; whom else it concerns, "
                    + "an argument of the type user names")
        case .strays:
            Words(
                "others refer to what it would remove; nothing was changed",
                details: facts.list("rows").map { row in
                    "\(row.text("table") ?? "") \(row.text("key") ?? "") would be \(row.text("kind") ?? "")d"
                })
        case .restless: Words("the statements touch other tables each time they run")
        case .keyless:
            Words(
                "this changes rows of \(self["table"]), which has no key to tell them apart",
                hint: "give the table a primary key; without one no change of it can be shown or undone")
        case .remade:
            Words(
                "this \(facts.text("tables").map { "empties or alters \($0)" } ?? "drops a table") as a whole, which can "
                    + "neither be shown row by row nor undone", hint: "TRUNCATE is not counted; a DELETE is")
        case .beside:
            Words(
                "this also writes \(self["names"]), which no act may write; nothing was changed",
                hint: "look at the triggers of the tables that it changes, and at what they call")
        case .secretKey:
            Words(
                "this changes rows of \(self["table"]), which \(self["column"]) tells apart, and that is never recorded"
            )
        case .foreignTable:
            Words(
                "\(self["table"]) is a foreign table: this server neither counts its rows nor knows what they were; "
                    + "nothing was changed", hint: "change it on the server that holds its rows")
        case .ledgerTable:
            Words("\(self["table"]) is the record of what was done, which no app may write; nothing was changed")
        case .noRequest:
            Words("there is no request \(self["request"])", hint: "`usher request list --all` lists them")
        case .answered:
            Words(
                "request \(self["request"]) has its answer already",
                hint: "`usher request show \(self["request"])` says by whom")
        case .needless:
            Words("you may do this yourself: `\(self["command"])` needs nobody else", hint: "leave --request out")
        case .moved: Words("what request \(self["request"]) rests on has changed since it was made")
        case .noAnswer: Words("an answer is decline or withdraw")
        case .askedForNobody: Words("it is asked for nobody")
        case .askedAlready:
            Words(
                "the same is asked for already, by request \(self["request"])",
                hint: "`usher request show \(self["request"])` shows it")
        case .ownRequest:
            Words("you asked for it yourself", hint: "`usher request withdraw \(self["request"])` takes it back")
        case .otherRequest: Words("this is not what request \(self["request"]) asks for")
        case .notTheAsker: Words("\(self["asker"]) asked for it, who alone may withdraw it")
        case .mayNotApprove:
            Words("approving `\(self["command"])` needs the role \(self["role"]), which \(self["user"]) has not")
        case .mayNotDecline: Words("declining it needs the role \(self["role"]), which \(self["user"]) has not")
        case .takesAnother:
            Words("`\(self["command"])` takes two, and you asked for it: somebody else approves it")
        case .noBulk: Words("there is no act on many \(self["operation"])")
        case .otherBulk:
            Words(
                "\(self["operation"]) was another change, or one of others",
                hint: "repeat the command with the same words and the same file")
        case .otherList:
            Words(
                "whom \(self["operation"]) is about was edited since it began",
                hint: "`usher audit verify` says more; what is done of it can be undone")
        case .unfinished:
            Words(
                "the same change was begun and not finished, as operation \(self["operation"])",
                hint: "the same command with --resume \(self["operation"]) continues it; nothing is done twice",
                details: [self["operation"]])
        case .notUnfinished: Words("\(self["operation"]) is not unfinished: it is \(self["outcome"])")
        case .partsUndone:
            Words("parts of \(self["operation"]) are undone; going on would leave them so", hint: "undo the rest of it")
        case .doneMeanwhile:
            Words(
                "this was done by somebody else meanwhile; nothing was done twice",
                hint: "`usher audit list` shows by whom")
        case .noOperation:
            Words("there is no operation \(self["operation"])", hint: "`usher audit list` lists them")
        case .undone:
            facts.text("by").map {
                Words("it is undone already, by \($0)", hint: "`usher audit undo \($0)` does it again")
            } ?? Words("it is undone already")
        case .erased: Words("what it changed was erased together with the person it was about")
        case .final: Words("\(self["command"]) cannot be undone")
        case .notDone: Words("it was \(self["outcome"]); there is nothing to undo")
        case .otherKind: Words("an operation of the kind \(self["kind"]) cannot be undone")
        case .nothingLeft: Words("there is nothing of it left to undo")
        case .otherTable: Words("\(self["table"]) is no longer what it was when the operation ran")
        case .secretRows:
            Words(
                "\(self["table"]) holds \(self["column"]), which is never recorded, so its rows cannot be made again")
        case .secretColumn:
            Words(
                "it changed \(self["column"]) of \(self["table"]), which is never recorded, so nobody knows what it was"
            )
        case .changedSince:
            Words("its rows were changed again since; nothing was undone", details: rows(of: owners))
        case .notRestored:
            Words("it cannot be restored; nothing was changed", details: rows(of: owners))
        case .restored: Words("it was restored already, by operation \(self["by"])")
        case .irreversible:
            Words(
                (["nothing of what it did can be taken back"]
                    + (facts.member("because").flatMap(LeftBehind.init).map { [$0.sentence] } ?? []))
                    .joined(separator: ": "))
        }
    }

    private static let install = "the owner installs it: `usher install --app FILE`"

    private var forbidden: Words {
        let asking = holds("may_ask") ? "the same command with --request asks for it; or " : ""
        return Words(
            "`\(self["command"])` needs the role \(self["role"]), which \(self["user"]) has not",
            hint: asking + "whoever may grant roles can grant it: \(self["remedy"])")
    }

    private var unaccounted: Words {
        let (counted, found) = (facts.texts("counted"), facts.texts("found"))
        return Words(
            "not every change of \(self["table"]) can be accounted for",
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
        case .back: "is there again"
        case .changed(let columns): "changed since in \(columns)"
        case .other: "is not as it was"
        }
    }
}

extension LeftBehind {
    /// What an undoing leaves as it is.
    var sentence: String {
        switch self {
        case .keyless(let table): "rows that were added to \(table), which has no key, stay"
        case .overwritten(let columns, let table):
            "a trigger overwrites \(columns) of \(table), so the undo does not restore it"
        case .erased(let rows):
            "what was done to \(rows.of("row")) was erased together with a person, and is not taken back"
        }
    }
}
