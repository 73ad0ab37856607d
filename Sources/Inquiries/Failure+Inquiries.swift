package import AppFile
package import Asking
import PQ

extension Failure {
    /// Creates the failure for an unknown name; the hint lists the known names.
    init(unknown complaint: String, known: [String]) {
        self.init(
            .usage, complaint,
            hint: known.isEmpty
                ? "there is no name to choose from" : "choose one of: \(known.joined(separator: ", "))")
    }

    init(noOwnerOf noun: String) {
        self.init(.usage, "the app file doesn't link a \(noun) to a user", hint: "remove `--user`")
    }

    init(repeatedUser key: String) {
        self.init(
            .failed, "@users of the app file returns several rows for the user \(key)",
            code: "repeated_user", hint: "return one row per user; show columns with several values in a @panel")
    }

    package static let noUser = "no_user"
    package static let noApp = "no_app"

    /// Creates the failure that usher found no user; `unsearched` are the columns that usher didn't search, because
    /// they have no index.
    init(noUser text: String, near: [String] = [], unsearched: [String] = [], elsewhere: [App.Elsewhere] = []) {
        let search =
            text.allSatisfy(\.isWhitespace)
            ? "name the user by id or email; `usher user list` lists users"
            : unsearched.isEmpty
                ? "`usher user find \(quoteWord(text))` also searches for parts of names and emails"
                : "usher didn't search \(unsearched.joined(separator: ", ")), because no index helps; "
                    + "`usher user find \(quoteWord(text)) --anywhere` reads all users"
        self.init(
            .notFound,
            FilledSentence(text: unsearched.isEmpty ? "there is no user \(text)" : "no user \(text) was found"),
            code: Self.noUser, hint: didYouMean(Nearest.names(to: text, among: near)) ?? search,
            details: elsewhere.map { $0.sentence(searching: text) })
    }
}

extension App.Elsewhere {
    /// The app file's sentence about another system that may contain the text, with links to that system.
    fileprivate func sentence(searching text: String) -> FilledSentence {
        let links = links.compactMap { $0.address { $0 == "text" ? text : nil } }
        return FilledSentence(sentence) { $0 == "text" ? Value(text) : nil }
            .followed(by: links.map { " \($0)" }.joined())
    }
}

extension App {
    /// The number of candidates, or `more than` and the limit.
    static func candidates(_ count: Int) -> String {
        count > mostCandidates ? "more than \(mostCandidates)" : "\(count)"
    }
}

extension App {
    /// Creates the failure that usher found no object with a name.
    ///
    /// The hint is the command that lists the objects.
    package func missing(_ object: ObjectKind, _ text: String) -> Failure {
        let noun = object.noun
        let list = lists.first { $0.noun == noun && $0.verb == "list" }
        let user = list?.asksForUser == true ? " USER" : ""
        return Failure(
            .notFound, "there is no \(noun) \(text)", hint: "`usher \(noun) list\(user)` lists every \(noun)")
    }
}
