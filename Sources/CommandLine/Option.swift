package import AppFile

/// A named setting of a command, `--limit N`, or a flag without a value.
///
/// An option with a certain name takes a value in every command or in none, because usher reads options before it knows
/// the command.
package struct Option: Sendable {
    /// The name without dashes, also the key of `Invocation.options`.
    package var long: String
    package var short: Character?
    /// The value of the option; nil makes it a flag.
    package var value: Value?
    package var repeats: Bool
    package var summary: String
    package var isRequired: Bool
    /// The option and value that this flag is short for: `--json` for `--output json`.
    package var implies: (option: String, value: String)?
    /// The names of the arguments that this option replaces: `--from FILE` instead of `USER`.
    package var supplies: [String]
    /// True if those arguments are still allowed: `--resume ID` together with the words of the original command.
    package var allowsSupplied: Bool
    /// The grade of the change that the option makes; nil if the option doesn't make a change.
    package var grade: App.Grade?
    /// The traits of the command with this option; nil if the option doesn't change the traits.
    package var traits: Command.Traits?
    /// A command with one of these traits accepts this global option; nil means every command.
    package var needs: Command.Traits?

    /// Creates an option from its notation in help: `--limit N`, `--quiet` or `-q, --quiet`.
    package init(
        _ notation: String, _ kind: ValueKind? = nil, standard: String? = nil, repeats: Bool = false, summary: String,
        isRequired: Bool = false, implies: (option: String, value: String)? = nil, supplies: String?...,
        allowsSupplied: Bool = false, grade: App.Grade? = nil, traits: Command.Traits? = nil,
        needs: Command.Traits? = nil
    ) {
        var words = notation.split(separator: " ")
        short = notation.hasPrefix("--") ? nil : words.removeFirst().dropFirst().first
        long = String(words.removeFirst().dropFirst(2))
        value = kind.map { Value(placeholder: words.joined(separator: " "), kind: $0, standard: standard) }
        self.repeats = repeats
        self.summary = summary
        self.isRequired = isRequired
        self.implies = implies
        self.supplies = supplies.compactMap(\.self)
        self.allowsSupplied = allowsSupplied
        self.grade = grade
        self.traits = traits
        self.needs = needs
    }
}

extension Option {
    package struct Value: Sendable, Equatable {
        /// The placeholder in help: `N`.
        package var placeholder: String
        package var kind: ValueKind
        /// The default, shown in help and applied by the command.
        package var standard: String?
    }

    /// The option as usage lines show it, `--limit N`.
    var notation: String {
        guard let value else { return "--\(long)" }
        return "--\(long) \(value.placeholder)"
    }
}
