import AppFile
import Asking
import CommandLine
package import Inquiries
import PQ

extension InquiryRefusal: Worded {
    package func words(_ wording: Wording) -> Words {
        switch self {
        case .noApp(let name, let known):
            Words(
                "there is no app by the name \(name)",
                hint: "\(Self.these(known)); a file is named by its path, such as ./\(name).sql")
        case .otherApp: Words("this database does not belong to the app that has this command")
        case .changingPart(let part):
            Words(
                "a file of --also can only have lists, panels and checks",
                hint: "remove \(part.message.split(separator: " ").first ?? "it")",
                details: part.report)
        case .noneFits(let lacks):
            Words(
                "no app fits this database",
                hint: "`usher app list` shows what each app requires; --app FILE names your own",
                details: lacks.map { "\($0.app) lacks \($0.relations.joined(separator: ", "))" })
        case .alike(let names):
            Words("\(names.joined(separator: " and ")) fit this database alike", hint: "choose one with --app NAME")
        case .missing(let app, let relations):
            Words(
                "this database doesn't match the app \(app): \(relations.joined(separator: ", ")) is missing",
                hint: "check --db and --app; `usher doctor` shows the database and its app")
        case .noTenant(let app, let pattern):
            Words(
                "no schema of this database is one of \(app)"
                    + (pattern.map { ": none is called like \($0)" } ?? ": none has what it requires"),
                hint: "check --db and --app; @schema says what the schemas are called")
        case .noRoot:
            Words(
                "no users table found",
                hint: "looked for a table with a primary key of one column that is named like users, holds "
                    + "addresses, or is referred to; name it with --root TABLE[.COLUMN]")
        case .realData(let environment):
            Words(
                "this database has users, and its environment is \(environment)",
                hint: "run examples in an empty database with the same schema, or in one that is marked as test")
        case .noCheck(let name, let known): Words("there is no check \(name)", hint: Self.ofApp(known))
        case .noSettings(let app, let name?, let known):
            Words("\(app) has no settings \(name)", hint: known.isEmpty ? "it has none at all" : Self.these(known))
        case .noSettings(let app, nil, let known):
            known.isEmpty
                ? Words("\(app) has no settings")
                : Words(
                    "\(app) has several settings",
                    hint: "say which: `usher settings set NAME …` with \(known.joined(separator: ", "))")
        case .noTable(let settings): Words("\(settings) is not a table name with its schema")
        case .noKind(let app, let noun): Words("\(app) has no \(noun)")
        case .noList(let app, let noun, let verb): Words("\(app) has no list \(noun) \(verb)")
        case .noFilter(let filter, let name, let known):
            Words("there is no \(filter.noun) \(name)", hint: Self.ofApp(known))
        case .noSortColumn(let name, let known):
            Words("there is no column \(name) to sort by", hint: Self.these(known))
        case .noOwner(let noun):
            Words("the app file does not declare the user of a \(noun)", hint: "remove --user")
        case .noTimes(let noun): Words("a \(noun) has no time", hint: "remove --since and --until")
        case .nothingToFind: Words("there is nothing to find", hint: "write a part of an email or an id")
        case .noUser(let text, let near, let unsearched, let elsewhere):
            Words(
                unsearched.isEmpty ? "there is no user \(text)" : "no user \(text) was found",
                hint: didYouMean(Nearest.names(to: text, among: near))
                    ?? (unsearched.isEmpty
                        ? "only exact matches count here; search with `usher user find`"
                        : "nobody looked at \(unsearched.joined(separator: ", ")), since no index knows; "
                            + "`usher user find` reads all users"),
                details: ElsewhereView(elsewhere, searching: text).plain)
        case .noKey(let text, let type):
            Words("no user has the email \(text), and ids here are of the type \(type)")
        case .inexact(let text, let way, let user):
            Words(
                "\(text) is not the id or email of a user",
                hint: "it belongs to \(user), by \(way.words); name the account by its id or email")
        case .untied(let things):
            Words(
                Self.tiedToNobody(things),
                hint: "see " + things.prefix(3).map { "`\(Self.shown($0))`" }.joined(separator: ", "))
        case .repeatedUser(let key):
            Words(
                "the app file lists the user \(key) several times instead of once",
                hint: "move columns with several values per user to a panel")
        case .goneUser(let text, let user): Words("\(text) belongs to the user \(user), who no longer exists")
        case .severalUsers(let text, let count, let way, let first):
            Words(
                way.map { "\(text) belongs to \(Self.many(count)) users, by \($0.words)" }
                    ?? "\(Self.many(count)) users have the email \(text)", hint: "name one by its id", details: first)
        case .noObject(let noun, let text):
            Words("there is no \(noun) \(text)", hint: "`usher \(noun) list` lists them")
        case .severalObjects(let text, let key, let count, let first):
            Words("\(text) is the name of \(Self.many(count))", hint: "name one by its \(key)", details: first)
        case .noValue(let name, let error, let choices):
            Words("\(name): \(error.message)", hint: choices.isEmpty ? nil : Self.oneOf(choices))
        case .noObjectOfFacts(let path, let error):
            Words("\(path) is not a JSON object" + (error.map { ": \($0.message)" } ?? ""))
        case .nullFact(let path, let name): Words("\(path): \(name) is null", hint: "remove facts that you don't know")
        case .fixedFact(let name): Words("\(name) identifies the user, so you can't assume another value")
        case .unknownFact(let name, let known): Words("no decision has the fact \(name)", hint: Self.these(known))
        case .notAmong(let fact, let value, let choices):
            Words("\(fact) cannot be \(value)", hint: "it is \(Self.oneOf(choices))")
        case .outOfRange(let fact, let value, let range):
            Words("\(fact) cannot be \(value)", hint: "it is from \(range.lowerBound) to \(range.upperBound)")
        case .noFact(let name, let value, let error): Words("\(name) cannot be \(value): \(error.message)")
        case .hidden(let role, let tables):
            Words(
                "row security hides rows of \(pasted(tables)) from \(role)",
                hint: "connect as a role with BYPASSRLS, or give \(role) a policy USING (true)")
        case .unreadable(let unreadable):
            Words(unreadable.sentence, hint: unreadable.error.flatMap { Words.hint(for: $0) })
        }
    }

    /// What was found instead of somebody.
    static func tiedToNobody(_ things: [Identification]) -> String {
        things.prefix(3).map(\.words).joined(separator: ", ") + (things.count > 3 ? " and more" : "")
            + (things.count == 1 ? " is" : " are") + " found, but belongs to no user"
    }

    /// The command that shows a thing.
    static func shown(_ thing: Identification) -> String {
        "usher \(thing.noun ?? "") show \(quoteWord(thing.key ?? thing.value))"
    }

    private static func these(_ known: [String]) -> String { "there is \(known.joined(separator: ", "))" }

    private static func ofApp(_ known: [String]) -> String { known.isEmpty ? "this app has none" : these(known) }

    private static func oneOf(_ choices: [String]) -> String { "one of \(choices.joined(separator: ", "))" }

    /// A number of candidates, of which no more were looked for than are shown.
    private static func many(_ count: Int) -> String {
        count > App.mostCandidates ? "more than \(App.mostCandidates)" : "\(count)"
    }
}

extension InquiryRefusal.Filter {
    fileprivate var noun: String {
        switch self {
        case .selection: "selection"
        case .decision: "decision"
        case .outcome(let decision): "outcome of \(decision)"
        }
    }
}
