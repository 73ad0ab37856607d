/// An app file: users, decisions, screens and changes.
package struct App: Sendable {
    package let name: String
    package let title: String
    package let requires: [Requirement]
    /// The schemas that the file describes; nil for a file that names its schemas.
    package let schemas: Schemas?
    /// Tables and columns that only some versions of the schema have.
    package let optional: [Optional]
    /// The optional columns that the database doesn't have; composed statements have NULL instead.
    var absent: [Optional] = []
    /// Values that SQL and sentences use by name.
    package let constants: [ParameterDeclaration]
    package internal(set) var users: Users
    package let elsewhere: [Elsewhere]
    package internal(set) var objects: [ObjectKind]
    package internal(set) var definitions: [Definition]
    package internal(set) var panels: [Panel]
    package internal(set) var timelines: [Timeline]
    package internal(set) var decisions: [Decision]
    package internal(set) var quotas: [Quota]
    package internal(set) var stats: [Stat]
    package internal(set) var settings: [Settings]
    package internal(set) var actions: [Action]
    package internal(set) var lists: [List]
    package internal(set) var states: [State]
    package internal(set) var checks: [Check]
    package internal(set) var account: Account?
    package let examples: [Example]
    /// The file of the app, and the files that it includes, in order.
    package let files: [SourceFile]
    /// True if only the `@app` block was read, which is enough to check if the file fits a database.
    package internal(set) var isOutline = false

    /// A table or column that must exist for the app to fit a database.
    package struct Requirement: Sendable {
        package let schema: String
        package let table: String
        package let column: String?
        package let place: Place
        /// Alternatives that also meet the requirement.
        package let others: [Requirement]

        /// The requirement and its alternatives; one of them is enough.
        package var alternatives: [Requirement] { [self] + others }

        package var name: String { alternatives.map(\.ownName).joined(separator: " | ") }
        private var ownName: String { SQLName.path(of: [schema, table] + [column].compactMap { $0 }) }
    }

    /// A table or column that may be missing.
    ///
    /// Blocks that read a missing table are left out; a missing column reads as NULL.
    package struct Optional: Sendable {
        package let table: TableName
        package let column: String?
        /// The type of a column.
        package let type: String?
        package let place: Place

        package var name: String { SQLName.path(of: [table.schema, table.name] + [column].compactMap { $0 }) }
    }

    /// The user directory; its columns are the facts.
    package struct Users: Sendable {
        package let key: String
        package internal(set) var emails: [String]
        package internal(set) var search: [String]
        /// The columns to show in a table of users; all if empty.
        package internal(set) var columns: [String]
        /// Explanations of some of the facts.
        package let meanings: [Meaning]
        /// Links to pages about a user in other systems.
        package let links: [Link]
        package internal(set) var select: Fragment { didSet { takenApart = Lazy() } }
        package internal(set) var selections: [Selection]
        let places: NamePlaces
        /// The sources of the columns; nil if the select doesn't reveal them.
        package var source: DirectorySource? { takenApart.value { DirectorySource(select, key: key) } }
        var takenApart = Lazy<DirectorySource?>()
    }

    /// The meaning of a fact, for people.
    package struct Meaning: Sendable {
        package let fact: String
        package let text: String
        package let place: Place
    }

    /// A page about a user in another program, with facts in its URL.
    package struct Link: Sendable, Hashable {
        package let title: String
        package let address: Sentence
        package let place: Place
    }

    /// A question that another system can answer and this database can't.
    package struct Elsewhere: Sendable, Hashable {
        package let name: String
        /// The pattern of texts that it applies to, nil for any; `*` matches any characters, `#` a digit.
        package let pattern: String?
        package let sentence: Sentence
        package let links: [Link]
    }

    /// A named condition over the users or the objects of a kind.
    package struct Selection: Sendable {
        package let name: String
        package let sentence: Sentence
        package let condition: Fragment
    }

    /// A kind of object other than users: events, codes, sessions.
    package struct ObjectKind: Sendable {
        package let noun: String
        package let summary: String
        package let key: String
        package let userColumn: String?
        /// The members, if an object belongs to several users: rows with the columns key and user.
        package let members: Fragment?
        /// The columns that people identify an object by, apart from the key.
        package let search: [String]
        /// The columns in a table of objects; all if empty.
        package let columns: [String]
        package let select: Fragment
        /// The columns that sort a list of objects, before the key.
        package let order: [SortColumn]
        package let selections: [Selection]
        package let place: Place
        let places: NamePlaces

        /// A sort column; NULL comes last in both directions.
        package struct SortColumn: Sendable, Hashable {
            package let name: String
            package let isDescending: Bool

            /// The column as written in `@order`.
            var written: String { name + (isDescending ? " desc" : "") }

            var sql: String { "facts.\(Composer.quoted(name))" + (isDescending ? " desc nulls last" : "") }
        }
    }

    /// A select that other blocks use by name.
    package struct Definition: Sendable {
        package let name: String
        package let columns: [String]
        package let select: Fragment
    }

    /// A section of a user's screen.
    package struct Panel: Sendable {
        package let title: String
        package let explains: String?
        package let columns: [String]
        package let limit: Int
        package let select: Fragment
        let places: NamePlaces
    }

    /// A source of events about a user.
    package struct Timeline: Sendable {
        package let source: String
        package let select: Fragment
    }

    /// Ordered rules that decide something about a user; the first rule that applies wins.
    package struct Decision: Sendable {
        package let name: String
        package let question: String
        package let per: String?
        package let assumptions: [ParameterDeclaration]
        package let select: Fragment?
        package let rules: [Rule]
        package let place: Place
        let places: NamePlaces
    }

    /// One rule: its outcome, the reason, and the advice.
    package struct Rule: Sendable {
        package let outcome: String
        package let sentence: Sentence
        package let advice: [Sentence]
        package let shows: [(name: String, text: Sentence)]
        package let condition: Fragment
        /// Sentences for some of the users that the rule applies to; the first with a true condition replaces the
        /// rule's own.
        package let reasons: [Reason]
        package let place: Place

        /// The conditions that the rule evaluates.
        package var conditions: [Fragment] { [condition] + reasons.map(\.condition) }
    }

    /// One of the reasons why a rule applies, with advice.
    package struct Reason: Sendable {
        package let sentence: Sentence
        package let advice: [Sentence]
        package let shows: [(name: String, text: Sentence)]
        package let condition: Fragment
    }

    /// The usage and the limits of users.
    package struct Quota: Sendable {
        package let name: String
        /// The column that distinguishes several rows of one user; nil if each user has one row.
        package let per: String?
        /// The fact of users that groups the quota of all users.
        package let tier: String?
        package let select: Fragment
        package let history: History?

        /// The usage of a user over time, one number per step.
        package struct History: Sendable {
            package let summary: String
            package let select: Fragment
        }

        /// The fragments that the quota reads.
        package var fragments: [Fragment] { [select] + (history.map { [$0.select] } ?? []) }
    }

    /// Numbers about all users: labels and values.
    package struct Stat: Sendable {
        package let name: String
        package let summary: String
        package let select: Fragment
    }

    /// All fragments that only read.
    package var fragments: [Fragment] {
        var all = [users.select] + users.selections.map(\.condition)
        for object in objects {
            all += [object.select] + object.selections.map(\.condition) + [object.members].compactMap { $0 }
        }
        all += definitions.map(\.select) + panels.map(\.select) + timelines.map(\.select)
        all += quotas.flatMap(\.fragments)
        all += stats.map(\.select)
        for decision in decisions { all += (decision.select.map { [$0] } ?? []) + decision.rules.flatMap(\.conditions) }
        return all + lists.map(\.select) + checks.map(\.select)
    }

    /// All fragments of changes: their statements and the conditions before them.
    package var changingFragments: [Fragment] {
        var all = settings.flatMap(\.impacts).map(\.condition)
        for action in actions {
            all += (action.refusals + action.warnings).map(\.condition) + action.statements.map(\.sql)
        }
        return all + (states.flatMap(\.statements) + examples.flatMap(\.statements)).map(\.sql)
            + (account.map { $0.fragments + $0.statements.map(\.sql) } ?? [])
    }
}

/// A parameter that an app file declares: `NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]`.
package struct ParameterDeclaration: Sendable, Hashable {
    package let name: String
    /// The Postgres type, `text` for a list of choices.
    package let type: String
    /// The allowed values; empty for any value of the type.
    package let choices: [String]
    package let isOptional: Bool
    package let range: ClosedRange<Int>?
    package let defaultValue: String?
    /// The subject that the value identifies, if the type is `user` or a noun of objects; nil otherwise.
    package internal(set) var names: App.Subject?
    /// The purpose of the parameter, if the app file gives one.
    package internal(set) var summary: String?
    /// The place of its declaration; nil for the program's own parameters.
    package var place: App.Place?
}

extension ParameterDeclaration {
    /// True if the value is secret: usher keeps it out of the history, the audit log and shown statements.
    package var isSecret: Bool { type == "secret" }

    /// The type to bind the value as; for a user or an object, that is the type of the key once known.
    package var boundType: String { isSecret ? "text" : type }

    /// The same declaration with the type of the keys.
    package func keyed(by type: String) -> ParameterDeclaration {
        var keyed = ParameterDeclaration(
            name: name, type: type, choices: choices, isOptional: isOptional, range: range, defaultValue: defaultValue)
        (keyed.names, keyed.summary, keyed.place) = (names, summary, place)
        return keyed
    }
}

extension App.Link {
    /// The URL with values filled in and escaped; nil if a value is missing.
    package func address(_ value: (String) -> String?) -> String? {
        var filled = ""
        for piece in address.pieces {
            switch piece {
            case .text(let text): filled += text
            case .fact(let name):
                guard let value = value(name), !value.isEmpty else { return nil }
                filled += Self.escaped(value)
            case .command: return nil
            }
        }
        return filled
    }

    private static func escaped(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) | 0x100, radix: 16).dropFirst().uppercased()
        }.joined()
    }
}

extension App {
    /// The digest of the app file and its includes, independent of their paths.
    ///
    /// The digest identifies a version.
    ///
    /// It is the same for all schemas of a file. Without includes it equals the output of `sha256sum`. Texts can't
    /// contain the separator byte.
    package var digest: String {
        var digest = SHA256()
        for (index, file) in files.enumerated() { digest.update((index == 0 ? [] : [0]) + file.asWritten.bytes) }
        return digest.hexadecimal()
    }

    /// The first 12 characters of the digest, for display.
    package var shortDigest: String { String(digest.prefix(12)) }
}
