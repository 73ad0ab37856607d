package import AppFile
package import Asking
package import PQ

/// The users that usher found for a text, and the kind of match.
package struct FoundUsers: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id, address, prefix, anywhere, object, words, someWords
    }

    /// The users with one kind of match.
    package struct Match: Sendable {
        package let way: Way
        /// The columns of users or their objects that contain the text.
        package let through: [Identification]
        package internal(set) var users: [Row]
    }

    /// The best matches, which have equal rank.
    package let matches: [Match]
    package let columns: [Column]
    /// The name of the column that identifies a user.
    package let key: String
    /// The columns that the table on screen shows; empty if the table shows all.
    package let shown: [String]
    /// The columns whose values usher never shortens, because operators copy the values into other commands.
    package let whole: [String]
    package let isCut: Bool
    /// The columns that usher searched; `unsearched` are the columns that would need a full scan.
    package let searched: [String]
    package let unsearched: [String]
    /// The objects with the text that belong to no user, if usher found no user.
    package internal(set) var untied: [Identification] = []
    /// The columns whose search ran out of time, each with the error.
    package internal(set) var late: [(name: String, reason: Failure)] = []
    /// The emails or keys of users whose names differ from the text by one or two typing mistakes; if there are no such
    /// users, emails that are similar to the text.
    package internal(set) var close: [String] = []
    /// Other systems that may contain the text, if usher found no user.
    package internal(set) var elsewhere: (text: String, entries: [App.Elsewhere]) = ("", [])

    package var users: [Row] { matches.flatMap(\.users) }
    /// The kind of the best match; nil if there is none.
    package var way: Way? { matches.first?.way }
}

/// The column in which usher found a typed text that is neither a key nor an email.
///
/// The column belongs to a user, or to an object that a user owns.
package struct Identification: Sendable, Hashable {
    /// The kind of object; nil if the column belongs to a user.
    let noun: String?
    /// The name of the column; nil if the text is the key of the object.
    package let column: String?
    package let value: String
    /// The key of the object; nil if the column belongs to a user.
    package let key: String?

    /// The kind of object and the column as words, with names from the app file.
    package var kind: String { [noun, column].compactMap { $0 }.joined(separator: " ") }

    /// The kind of object, the column and its value as words.
    var words: String { [noun, column, value].compactMap { $0 }.joined(separator: " ") }

    /// The command that shows the object, without the word `usher`.
    package var showCommand: String { "\(noun ?? "") show \(quoteWord(key ?? value))" }

    package static func ofNobody(_ things: [Identification]) -> String {
        things.prefix(3).map(\.words).joined(separator: ", ") + (things.count > 3 ? " and more" : "")
            + (things.count == 1 ? " belongs" : " belong") + " to no user"
    }
}
