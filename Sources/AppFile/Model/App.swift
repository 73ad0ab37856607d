/// An app, as its app file describes it: users, decisions, screens and changes.
package struct App: Sendable {
    package let name: String
    package let title: String
    package let requires: [Requirement]
    /// The schemas that the file describes, one for each tenant; nil if the file contains the names of its schemas.
    package let schemas: Schemas?
    /// The tables and columns that only some versions of the app's schema have.
    package let optional: [Optional]
    /// The optional columns that the database lacks; composed statements contain NULL instead of them.
    var absent: [Optional] = []
    /// The constants that SQL and sentences use by name.
    package let constants: [ParameterDeclaration]
    package var users: Users
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
    /// The app file itself, followed by the files that it includes.
    package let files: [SourceFile]
    /// True if usher has parsed only the `@app` block, which is enough to check whether the file fits a database.
    package internal(set) var isOutline = false

    /// A table or column that must exist, or the file doesn't fit the database.
    package struct Requirement: Sendable {
        /// The tables and columns; one of them must exist.
        package let alternatives: [RelationPath]
        package let place: Place

        package var name: String { alternatives.map(\.text).joined(separator: " | ") }
    }

    /// A table or column that the database may lack.
    ///
    /// If a table is missing, usher leaves out the blocks that read it. If a column is missing, its value is NULL.
    package struct Optional: Sendable {
        package let path: RelationPath
        /// The type of the column; nil for a table.
        package let type: String?
        package let place: Place

        package var name: String { path.text }
    }

    /// The users of the app; the columns of the `@users` select are the facts.
    package struct Users: Sendable {
        package let key: String
        package internal(set) var emails: [String]
        package var search: [String]
        /// The columns that a table of users shows; empty if it shows all.
        package internal(set) var columns: [String]
        /// The explanations of some facts.
        package let meanings: [Meaning]
        /// The links to pages about a user in other systems.
        package let links: [Link]
        package internal(set) var select: Fragment
        package internal(set) var selections: [Selection]
        let place: Place
        /// The base tables and columns of the facts; nil if usher can't tell them from the select.
        package var source: DirectorySource? { DirectorySource(select, key: key) }
    }

    /// The explanation of a fact, for the operator.
    package struct Meaning: Sendable {
        package let fact: String
        package let text: String
        package let place: Place
    }

    /// A link to a page about a user in another system; its URL contains facts.
    package struct Link: Sendable, Hashable {
        package let title: String
        package let address: Sentence
        package let place: Place
    }

    /// `@elsewhere`: data that is in another system, and the sentence that usher shows about it.
    package struct Elsewhere: Sendable, Hashable {
        package let name: String
        /// The pattern of texts that the other system may know, with `*` for any characters and `#` for a digit; nil
        /// for any text.
        package let pattern: String?
        package let sentence: Sentence
        package let links: [Link]
    }

    /// A named condition on the users or on the objects of a kind.
    package struct Selection: Sendable {
        package let name: String
        package let sentence: Sentence
        package let condition: Fragment
    }

    /// A kind of object other than users, such as events, codes or sessions.
    package struct ObjectKind: Sendable {
        package let noun: String
        package let summary: String
        package let key: String
        package let userColumn: String?
        /// The select of the columns key and user, if an object can have several users; otherwise nil.
        package let members: Fragment?
        /// The columns by which people identify an object, in addition to the key.
        package let search: [String]
        /// The columns that a table of objects shows; empty if it shows all.
        package let columns: [String]
        package let select: Fragment
        /// The columns that sort a list of objects; objects with equal values are sorted by key.
        package let order: [SortColumn]
        package let selections: [Selection]
        package let place: Place
    }

    /// A column that sorts a list; NULL comes last in both directions.
    package struct SortColumn: Sendable, Hashable {
        package let column: String
        package let isDescending: Bool

        /// Creates a column with its direction.
        package init(_ column: String, isDescending: Bool) {
            self.column = column
            self.isDescending = isDescending
        }

        /// The column of the rows with an alias, with its direction.
        func sql(of alias: SQL) -> SQL {
            let direction: SQL? = isDescending ? " desc nulls last" : nil
            return "\(alias).\(name: column)\(direction)"
        }
    }

    /// A select with a name, which other blocks use.
    package struct Definition: Sendable {
        package let name: String
        package let columns: [String]
        package let select: Fragment
    }

    /// A section of the screen for a user.
    package struct Panel: Sendable {
        package let title: String
        package let explains: String?
        package let columns: [String]
        package let limit: Int
        package let select: Fragment
        let place: Place
    }

    /// A select of events about a user.
    package struct Timeline: Sendable {
        package let source: String
        package let select: Fragment
    }

    /// A question about a user, with ordered rules that answer it; the first rule that applies decides.
    package struct Decision: Sendable {
        package let name: String
        package let question: String
        package let per: String?
        package let assumptions: [ParameterDeclaration]
        package let select: Fragment?
        package let rules: [Rule]
        package let place: Place
        /// The place of the block with the select and `@per`, which can be an included decision.
        let source: Place
    }

    /// One rule of a decision: its outcome, its sentence, and its details.
    package struct Rule: Sendable {
        package let outcome: String
        package let sentence: Sentence
        package internal(set) var details = Details()
        package let condition: Fragment
        /// The possible reasons: the sentence of the first one with a true condition replaces the rule's own sentence.
        package internal(set) var reasons: [Reason] = []
        package let place: Place

        /// All conditions that usher evaluates for the rule.
        package var conditions: [Fragment] { [condition] + reasons.map(\.condition) }
    }

    /// A reason why a rule applies, with its own sentence and details.
    package struct Reason: Sendable {
        package let sentence: Sentence
        package internal(set) var details = Details()
        package let condition: Fragment
    }

    /// The advice and the texts that usher shows below the sentence of a rule or reason.
    package struct Details: Sendable {
        package internal(set) var advice: [Sentence] = []
        package internal(set) var shows: [(name: String, text: Sentence)] = []

        /// Adds advice and texts; a text replaces an earlier text with the same name, such as the text of a screen.
        mutating func add(_ other: Details) {
            advice += other.advice
            for shown in other.shows {
                let place = shows.firstIndex { $0.name == shown.name }
                if let place { shows[place] = shown } else { shows.append(shown) }
            }
        }
    }

    /// A limit for each user, and how much of the limit the user has used.
    package struct Quota: Sendable {
        package let name: String
        /// The column that distinguishes the rows of one user; nil if each user has only one row.
        package let per: String?
        /// The fact of users by which usher groups the usage of all users.
        package let tier: String?
        package let select: Fragment
        package let history: History?

        /// The usage of a user over time, one number for each step.
        package struct History: Sendable {
            package let summary: String
            package let select: Fragment
        }

        /// All fragments of the quota.
        package var fragments: [Fragment] { [select] + (history.map { [$0.select] } ?? []) }
    }

    /// Numbers about all users, each with a label.
    package struct Stat: Sendable {
        package let name: String
        package let summary: String
        package let select: Fragment
    }

    /// A fragment of the app file, and the declared parameters that it can use, in addition to the constants and `:now`.
    struct Use {
        let fragment: Fragment
        let parameters: Set<String>
        /// True for a statement of a change, and for a condition that usher checks before the change.
        let isChange: Bool
    }

    /// All fragments of the app file.
    var uses: [Use] {
        var uses: [Use] = []
        func add(_ fragments: [Fragment], _ parameters: Set<String> = [], isChange: Bool = false) {
            uses += fragments.map { Use(fragment: $0, parameters: parameters, isChange: isChange) }
        }
        add([users.select] + users.selections.map(\.condition))
        for object in objects {
            add([object.select] + object.selections.map(\.condition) + [object.members].compactMap { $0 })
        }
        add(definitions.map(\.select) + stats.map(\.select) + checks.map(\.select))
        add(panels.map(\.select) + timelines.map(\.select), ["user"])
        add(quotas.map(\.select))
        add(quotas.compactMap(\.history?.select), ["user"])
        for decision in decisions {
            add([decision.select].compactMap { $0 }, Set(decision.assumptions.map(\.name)))
            add(decision.rules.flatMap(\.conditions))
        }
        for list in lists { add([list.select], list.parameters.names.union(["user"])) }
        add(settings.flatMap(\.impacts).map(\.condition), isChange: true)
        for action in actions {
            let names = action.parameters.names
            add((action.refusals + action.warnings).map(\.condition), names, isChange: true)
            add(action.statements.map(\.sql), names.union(action.subject.parameterNames), isChange: true)
        }
        add(states.flatMap(\.statements).map(\.sql), Set(Subject.users.parameterNames), isChange: true)
        add(examples.flatMap(\.statements).map(\.sql), isChange: true)
        add(account?.fragments ?? [], isChange: true)
        add(account?.statements.map(\.sql) ?? [], ["users"], isChange: true)
        return uses
    }

    /// All fragments that only read data.
    package var fragments: [Fragment] { uses.filter { !$0.isChange }.map(\.fragment) }

    /// All fragments of changes: their statements, and the conditions that usher checks before them.
    package var changingFragments: [Fragment] { uses.filter(\.isChange).map(\.fragment) }
}

/// A parameter that an app file declares as `NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]`.
package struct ParameterDeclaration: Sendable, Hashable {
    package let name: String
    /// The Postgres type of the value; `text` if the parameter has choices.
    package internal(set) var type: String
    /// The allowed values; empty if every value of the type is allowed.
    package internal(set) var choices: [String] = []
    package internal(set) var isOptional = false
    package internal(set) var range: ClosedRange<Int>?
    package internal(set) var defaultValue: String?
    /// The kind of subject that the value identifies, if the type is `user` or a kind of object; otherwise nil.
    package internal(set) var names: App.Subject?
    /// The purpose of the parameter, if the app file explains the parameter.
    package internal(set) var summary: String?
    /// The place of the declaration; nil for usher's own parameters.
    package var place: App.Place?
}

extension ParameterDeclaration {
    /// True if the value is secret: usher keeps it out of the history, the audit log and shown statements.
    package var isSecret: Bool { type == "secret" }

    /// The type of the bound value; for a user or an object, the type of the key once usher knows it.
    package var boundType: String { isSecret ? "text" : type }

    /// The same declaration with the type of the keys instead of its own type.
    package func keyed(by type: String) -> ParameterDeclaration {
        var keyed = self
        keyed.type = type
        return keyed
    }
}

extension App.Link {
    /// The URL with the escaped values of its facts; nil if a value is missing.
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
    /// The digest of the app file and the files that it includes, which identifies the version of the app file.
    ///
    /// The digest doesn't depend on the paths of the files or on the chosen schema. Without includes, it equals the
    /// output of `sha256sum`. The byte 0 separates the files, because their texts can't contain it.
    package var digest: String {
        var digest = SHA256()
        for (index, file) in files.enumerated() { digest.update((index == 0 ? [] : [0]) + file.asWritten.bytes) }
        return digest.hexadecimal()
    }

    /// The first 12 digits of the digest, for screens.
    package var shortDigest: String { String(digest.prefix(12)) }
}
