package import AppFile

package struct Invocation: Sendable {
    package var command: Command
    /// The words of each argument by its name, without missing arguments.
    package var arguments: [String: [String]]
    /// The values of each option by its long name; a flag has `true` for each time it was given.
    package var options: [String: [String]]

    package init(command: Command, arguments: [String: [String]] = [:], options: [String: [String]] = [:]) {
        self.command = command
        self.arguments = arguments
        self.options = options
    }
}

extension Invocation {
    /// The highest grade of the command and its given options; nil if the command only reads.
    package var grade: App.Grade? {
        ([command.grade] + command.options.filter { options[$0.long] != nil }.map(\.grade)).compactMap(\.self).max()
    }

    package var isReading: Bool { grade == nil }

    package var traits: Command.Traits { command.traits(with: options.keys) }

    package func accepts(_ global: Option) -> Bool { global.narrowed(to: traits) != nil }

    package func argument(_ name: String) -> String? {
        arguments[name]?.first
    }

    package func arguments(_ name: String) -> [String] {
        arguments[name] ?? []
    }

    package func option(_ long: String) -> String? {
        options[long]?.first
    }

    package func options(_ long: String) -> [String] {
        options[long] ?? []
    }

    package func flag(_ long: String) -> Bool {
        options[long] != nil
    }

    /// The whole number in an option, or else in an argument with that name.
    package func integer(_ name: String) -> Int? {
        (option(name) ?? argument(name)).flatMap { Int($0) }
    }

    /// The names and values of an option such as `--assume k=v`, in order.
    package func assignments(_ long: String) -> [(name: String, value: String)] {
        options(long).compactMap { word in
            guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(word[..<equals]), String(word[word.utf8.index(after: equals)...]))
        }
    }
}

extension Invocation {
    /// The words of an equivalent command line, with long option names in the order of the grammar.
    package func words(globals: [Option]) -> [String] {
        var words = command.path
        for option in command.options + globals {
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
        let values = command.arguments.flatMap { arguments[$0.name] ?? [] }
        return words + (values.contains(where: OptionScan.looksLikeOption) ? ["--"] : []) + values
    }
}
