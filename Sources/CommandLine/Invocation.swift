/// A command with the values it was given, all of them checked against the grammar.
package struct Invocation: Sendable {
    package var command: Command
    /// The words of each argument, by its name; an argument that was not given is absent.
    package var arguments: [String: [String]]
    /// The values of each option, by its long name; a flag holds `true` once for each time it was given.
    package var options: [String: [String]]

    /// Pairs a command with its values.
    package init(command: Command, arguments: [String: [String]] = [:], options: [String: [String]] = [:]) {
        self.command = command
        self.arguments = arguments
        self.options = options
    }
}

extension Invocation {
    /// The risk of the command with its options.
    package var grade: Grade {
        command.options.filter { options[$0.long] != nil }.reduce(command.grade) { max($0, $1.grade) }
    }

    /// The traits of the command with its options.
    package var traits: Command.Traits { command.traits(with: options.keys) }

    /// True if the command accepts a global option beside those that it was given.
    package func accepts(_ global: Option) -> Bool { global.narrowed(to: traits) != nil }

    /// Returns the only or first word of an argument.
    package func argument(_ name: String) -> String? {
        arguments[name]?.first
    }

    /// Returns all words of an argument.
    package func arguments(_ name: String) -> [String] {
        arguments[name] ?? []
    }

    /// Returns the only or first value of an option.
    package func option(_ long: String) -> String? {
        options[long]?.first
    }

    /// Returns all values of an option that repeats.
    package func options(_ long: String) -> [String] {
        options[long] ?? []
    }

    /// Returns whether an option was given.
    package func flag(_ long: String) -> Bool {
        options[long] != nil
    }

    /// Returns how often an option was given.
    package func count(_ long: String) -> Int {
        options[long]?.count ?? 0
    }

    /// Returns the whole number that an option, or else an argument of that name, holds.
    package func integer(_ name: String) -> Int? {
        (option(name) ?? argument(name)).flatMap { Int($0) }
    }

    /// Returns the number that an option, or else an argument of that name, holds.
    package func number(_ name: String) -> Double? {
        (option(name) ?? argument(name)).flatMap { Double($0) }
    }

    /// Returns the names and values of an option such as `--assume k=v`, in the order given.
    package func assignments(_ long: String) -> [(name: String, value: String)] {
        options(long).compactMap { word in
            guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(word[..<equals]), String(word[word.utf8.index(after: equals)...]))
        }
    }
}

extension Invocation {
    /// The words that say the same in full, options in the order of the grammar; secrets are left out.
    package func words(globals: [Option]) -> [String] {
        var words = command.path
        for option in command.options + globals where option.value?.kind != .secret {
            for value in options[option.long] ?? [] {
                words.append("--" + option.long)
                guard option.value != nil else { continue }
                if OptionScan.looksLikeOption(value) {
                    words[words.count - 1] += "=" + value
                } else {
                    words.append(value)
                }
            }
        }
        let values = command.arguments.filter { $0.kind != .secret }.flatMap { arguments[$0.name] ?? [] }
        return words + (values.contains(where: OptionScan.looksLikeOption) ? ["--"] : []) + values
    }
}
