/// One thing the program does: `user show`, or a single word such as `doctor`.
package struct Command: Sendable {
    /// Noun and verb, or one word.
    package var path: [String]
    package var summary: String
    /// What the summary leaves out, written like the text of a `Topic`; may be empty.
    package var discussion: String
    package var arguments: [Argument]
    package var options: [Option]
    /// Made when somebody wants to see them: those of an app's verbs are looked for in all of its file.
    package var examples: [Example] { makeExamples() }
    private let makeExamples: @Sendable () -> [Example]
    /// A hidden command runs, but no help page, suggestion or completion names it.
    package var isHidden: Bool
    /// How much it may break.
    package var grade: Grade
    /// The role of operators that it needs, nil where reading is enough.
    package var role: String?
    /// What it does, which decides the global options that it accepts.
    package var traits: Traits

    /// Describes a command.
    package init(
        path: [String], summary: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        examples: @autoclosure @escaping @Sendable () -> [Example] = [], isHidden: Bool = false, grade: Grade = .read,
        role: String? = nil, traits: Traits = []
    ) {
        self.path = path
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        makeExamples = examples
        self.isHidden = isHidden
        self.grade = grade
        self.role = role
        self.traits = traits
    }

    /// The path as one types it, `user show`.
    package var name: String { path.joined(separator: " ") }
}

/// How much a command may break.
package enum Grade: String, Sendable, CaseIterable, Comparable {
    case read, mild, moderate, severe

    /// Orders grades by what they may break.
    package static func < (left: Grade, right: Grade) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

/// A positional value of a command.
package struct Argument: Sendable, Equatable {
    /// Shown as is, and the key of `Invocation.arguments`: `USER`.
    package var name: String
    package var kind: ValueKind
    package var arity: Arity
    package var summary: String

    /// Describes a positional value.
    package init(name: String, kind: ValueKind, arity: Arity = .one, summary: String) {
        self.name = name
        self.kind = kind
        self.arity = arity
        self.summary = summary
    }
}

/// How many words an argument takes.
package enum Arity: Sendable, Equatable {
    case one
    case optional
    /// One or more.
    case many
    /// None or more.
    case any

    /// Whether the argument needs at least one word.
    package var isRequired: Bool { self == .one || self == .many }

    /// Whether the argument takes as many words as there are.
    package var isVariadic: Bool { self == .many || self == .any }

    /// As many words, or none.
    var orNone: Arity {
        switch self {
        case .one, .optional: .optional
        case .many, .any: .any
        }
    }
}

/// A command line worth copying.
package struct Example: Sendable, Equatable {
    /// With or without the name of the program in front.
    package var command: String
    package var explains: String

    /// Describes an example.
    package init(command: String, explains: String) {
        self.command = command
        self.explains = explains
    }
}
