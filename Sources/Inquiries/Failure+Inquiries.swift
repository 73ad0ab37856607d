package import AppFile
package import Asking
import PQ

/// Failures of several queries.
extension Failure {
    /// A name that the app doesn't have, with the names that it has.
    init(unknown complaint: String, known: [String]) {
        self.init(
            .usage, complaint,
            hint: known.isEmpty ? "the app file declares none" : "choose one of: \(known.joined(separator: ", "))")
    }

    init(noOwnerOf noun: String) {
        self.init(.usage, "the app file doesn't link a \(noun) to a user", hint: "remove --user")
    }

    init(noTimesOf noun: String) {
        self.init(
            .usage, "the list of \(noun) has no column with a time, so --since and --until don't apply",
            hint: "remove --since and --until")
    }

    init(repeatedUser key: String) {
        self.init(
            .failed, "@users of the app file returns several rows for the user \(key)",
            code: "repeated_user", hint: "return one row per user; show columns with several values in a @panel")
    }

    init(severalUsers complaint: String, _ users: [String]) {
        self.init(.conflict, complaint, hint: "choose one by its id", details: users)
    }

    /// The code of a failure because no user was found.
    package static let noUser = "no_user"

    /// No user was found; `unsearched` are the columns that no index covers.
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
    /// The sentence about data in another system, with its link.
    fileprivate func sentence(searching text: String) -> FilledSentence {
        let links = links.compactMap { $0.address { $0 == "text" ? text : nil } }
        return FilledSentence(sentence) { $0 == "text" ? Value(text) : nil }
            .followed(by: links.map { " \($0)" }.joined())
    }
}

extension App {
    /// The number of candidates, or `more than` the limit.
    static func candidates(_ count: Int) -> String {
        count > mostCandidates ? "more than \(mostCandidates)" : "\(count)"
    }
}

extension App.ObjectKind {
    /// No object of this kind was found.
    package func missing(_ text: String) -> Failure {
        Failure(.notFound, "there is no \(noun) \(text)", hint: "`usher \(noun) list` lists them")
    }
}

extension Identification {
    /// The command that shows the object, without the name of the program.
    package var showCommand: String { "\(noun ?? "") show \(quoteWord(key ?? value))" }

    /// The message for objects that belong to no user.
    package static func ofNobody(_ things: [Identification]) -> String {
        things.prefix(3).map(\.words).joined(separator: ", ") + (things.count > 3 ? " and more" : "")
            + (things.count == 1 ? " is" : " are") + " found, but belongs to no user"
    }
}
