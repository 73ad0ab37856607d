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
        case .otherApp: Words("this is no database of the app that knows the command")
        case .noneFits(let lacks):
            Words(
                "no app fits this database",
                hint: "`usher app list` shows what each app requires; --app FILE names your own",
                details: lacks.map { "\($0.app) lacks \($0.relations.joined(separator: ", "))" })
        case .alike(let names):
            Words("\(names.joined(separator: " and ")) fit this database alike", hint: "choose one with --app NAME")
        case .missing(let app, let relations):
            Words(
                "this is no database of \(app): \(relations.joined(separator: ", ")) is missing",
                hint: "check --db and --app; `usher doctor` shows what is there")
        case .noTenant(let app, let pattern):
            Words(
                "no schema of this database is one of \(app)"
                    + (pattern.map { ": none is called like \($0)" } ?? ": none has what it requires"),
                hint: "check --db and --app; @schema says what the schemas are called")
        case .noRoot:
            Words(
                "no table looks like one of users",
                hint: "looked for a table with a primary key of one column that is named like users, holds "
                    + "addresses, or is referred to; name it with --root TABLE[.COLUMN]")
        case .realData(let environment):
            Words(
                "there are users in this database, and it counts as \(environment)",
                hint: "run examples on an empty database of the same schema, or one that is marked as a test")
        case .noCheck(let name, let known): Words("there is no check \(name)", hint: Self.ofApp(known))
        case .noSettings(let app, let name?, let known):
            Words("\(app) has no settings \(name)", hint: known.isEmpty ? "it has none at all" : Self.these(known))
        case .noSettings(let app, nil, let known):
            known.isEmpty
                ? Words("\(app) has no settings")
                : Words(
                    "\(app) has several settings",
                    hint: "say which: `usher settings set NAME …` with \(known.joined(separator: ", "))")
        case .noTable(let settings): Words("\(settings) is no table of a schema")
        case .noKind(let app, let noun): Words("\(app) knows no \(noun)")
        case .noList(let app, let noun, let verb): Words("\(app) has no list \(noun) \(verb)")
        case .noFilter(let filter, let name, let known):
            Words("there is no \(filter.noun) \(name)", hint: Self.ofApp(known))
        case .noSortColumn(let name, let known):
            Words("there is no column \(name) to sort by", hint: Self.these(known))
        case .noOwner(let noun):
            Words("the app file does not say whose a \(noun) is", hint: "leave --user out")
        case .noTimes(let noun): Words("a \(noun) has no time", hint: "leave --since and --until out")
        case .nothingToFind: Words("there is nothing to find", hint: "give a part of an address or an id")
        case .noUser(let text, let near, let unsearched, let elsewhere):
            Words(
                unsearched.isEmpty ? "there is no user \(text)" : "no user \(text) was found",
                hint: didYouMean(Nearest.names(to: text, among: near))
                    ?? (unsearched.isEmpty
                        ? "the match is exact; `usher user find` searches for parts"
                        : "nobody looked at \(unsearched.joined(separator: ", ")), since no index knows; "
                            + "`usher user find` reads all users"),
                details: ElsewhereView(elsewhere, searching: text).plain)
        case .noKey(let text, let type):
            Words("\(text) is nobody's address, and no \(type) as an id is here")
        case .inexact(let text, let way, let user):
            Words(
                "\(text) is no user's id and no address",
                hint: "it leads to \(user) by \(way.words); an account is named exactly")
        case .untied(let things):
            Words(
                Self.tiedToNobody(things),
                hint: "see " + things.prefix(3).map { "`\(Self.shown($0))`" }.joined(separator: ", "))
        case .repeatedUser(let key):
            Words(
                "the app file lists the user \(key) several times, and it is one row a user",
                hint: "put what a user has several of into a panel")
        case .goneUser(let text, let user): Words("\(text) leads to the user \(user), who is not there any more")
        case .severalUsers(let text, let count, let way, let first):
            Words(
                way.map { "\(text) leads to \(Self.many(count)) users, by \($0.words)" }
                    ?? "\(Self.many(count)) users have the address \(text)", hint: "name one by its id", details: first)
        case .noObject(let noun, let text):
            Words("there is no \(noun) \(text)", hint: "`usher \(noun) list` lists them")
        case .severalObjects(let text, let key, let count, let first):
            Words("\(text) is what \(Self.many(count)) are called", hint: "name one by its \(key)", details: first)
        case .noValue(let name, let error, let choices):
            Words("\(name): \(error.message)", hint: choices.isEmpty ? nil : Self.oneOf(choices))
        case .noObjectOfFacts(let path, let error):
            Words("\(path) is no JSON object" + (error.map { ": \($0.message)" } ?? ""))
        case .nullFact(let path, let name): Words("\(path): \(name) is null", hint: "leave out what is not known")
        case .fixedFact(let name): Words("\(name) says whom a decision is about and cannot be supposed")
        case .unknownFact(let name, let known): Words("no decision knows \(name)", hint: Self.these(known))
        case .notAmong(let fact, let value, let choices):
            Words("\(fact) cannot be \(value)", hint: "it is \(Self.oneOf(choices))")
        case .outOfRange(let fact, let value, let range):
            Words("\(fact) cannot be \(value)", hint: "it is from \(range.lowerBound) to \(range.upperBound)")
        case .noFact(let name, let value, let error): Words("\(name) cannot be \(value): \(error.message)")
        case .hidden(let role, let tables):
            Words(
                "hidden by row security: \(role) may not see every row of \(pasted(tables))",
                hint: "connect as a role with BYPASSRLS, or give \(role) a policy USING (true)")
        case .unreadable(let unreadable):
            Words(unreadable.sentence, hint: unreadable.error.flatMap { Words.hint(for: $0) })
        }
    }

    /// What was found instead of somebody.
    static func tiedToNobody(_ things: [Identification]) -> String {
        things.prefix(3).map(\.words).joined(separator: ", ") + (things.count > 3 ? " and more" : "")
            + (things.count == 1 ? " is" : " are") + " found, and tied to no user"
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
