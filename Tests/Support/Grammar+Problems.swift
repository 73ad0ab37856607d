@testable package import CommandLine

extension Grammar {
    /// Returns the mistakes of the grammar itself, one sentence each.
    package func problems() -> [String] {
        structureProblems() + optionProblems() + commands.flatMap(commandProblems) + exampleProblems()
    }

    private func structureProblems() -> [String] {
        var problems: [String] = []
        if summary.isEmpty { problems.append("the program has no summary") }
        for name in repeated(nouns.map(\.name)) { problems.append("noun `\(name)` is declared twice") }
        for name in repeated(commands.map(\.name)) { problems.append("command `\(name)` is declared twice") }
        for name in repeated(topics.map(\.name)) { problems.append("topic `\(name)` is declared twice") }
        for noun in nouns {
            if noun.summary.isEmpty { problems.append("noun `\(noun.name)` has no summary") }
            if verbs(of: noun.name).isEmpty { problems.append("noun `\(noun.name)` has no verbs") }
            if command(at: [noun.name]) != nil { problems.append("`\(noun.name)` is both a noun and a command") }
        }
        for topic in topics {
            if topic.summary.isEmpty || topic.text.isEmpty { problems.append("topic `\(topic.name)` says nothing") }
        }
        for name in ["help", "version"] where !globals.contains(where: { $0.long == name && $0.value == nil }) {
            problems.append("there is no global flag `--\(name)`")
        }
        return problems
    }

    /// Returns the conflicts between options of two commands, because the parser reads options before it knows the
    /// command.
    private func optionProblems() -> [String] {
        let all = globals + commands.flatMap(\.options)
        let takesValue = Dictionary(all.map { ($0.long, $0.value != nil) }) { first, _ in first }
        let longs = Dictionary(all.compactMap { option in option.short.map { ($0, option.long) } }) { first, _ in first
        }
        var problems: [String] = []
        for option in all {
            if takesValue[option.long] != (option.value != nil) {
                problems.append("`--\(option.long)` is a flag in one place and takes a value in another")
            }
            if let short = option.short, let long = longs[short], long != option.long {
                problems.append("`-\(short)` means both `--\(long)` and `--\(option.long)`")
            }
            if let short = option.short, !(short.isASCII && short.isLetter) {
                problems.append("`-\(short)` is no letter")
            }
            if !Self.isName(option.long) {
                problems.append("`--\(option.long)` is no name of two or more small letters, digits and dashes")
            }
        }
        return distinct(problems) + globals.flatMap { valueProblems($0, of: nil) }
            + repeated(globals.map(\.long)).map { "global option `--\($0)` is declared twice" }
    }

    private func commandProblems(_ command: Command) -> [String] {
        var problems: [String] = []
        if command.summary.isEmpty { problems.append("has no summary") }
        if !(1...2 ~= command.path.count) { problems.append("has a path of \(command.path.count) words") }
        if command.path.count == 2, let noun = command.path.first, self.noun(named: noun) == nil {
            problems.append("belongs to a noun that is not declared")
        }
        for name in repeated(command.options.map(\.long) + globals.map(\.long)) {
            problems.append("has `--\(name)` twice, or as a global option too")
        }
        for name in repeated(command.arguments.map(\.name)) { problems.append("has the argument \(name) twice") }
        for argument in command.arguments {
            if argument.summary.isEmpty { problems.append("has an argument \(argument.name) without a summary") }
            if argument.kind == .choice([]) { problems.append("allows nothing for \(argument.name)") }
        }
        if command.arguments.count(where: { !$0.isRequired || $0.isVariadic }) > 1 {
            let required = command.arguments.count { $0.isRequired }
            if required > 0 || command.arguments.dropLast().contains(where: \.isVariadic) {
                problems.append("has more than one argument of open length")
            }
        }
        return problems.map { "`\(command.name)` \($0)" } + command.options.flatMap { valueProblems($0, of: command) }
    }

    private func valueProblems(_ option: Option, of command: Command?) -> [String] {
        var problems: [String] = []
        if option.summary.isEmpty { problems.append("has no summary") }
        if option.value?.kind == .choice([]) { problems.append("allows nothing") }
        if let value = option.value, let standard = value.standard, value.kind.objection(to: standard) != nil {
            problems.append("has the default `\(standard)`, which it does not allow")
        }
        if let implied = option.implies {
            let target = self.option(implied.option, of: command)?.value
            if option.value != nil || target == nil || target?.kind.objection(to: implied.value) != nil {
                problems.append("cannot stand for `--\(implied.option) \(implied.value)`")
            }
        }
        for name in option.supplies where command?.arguments.contains(where: { $0.name == name }) != true {
            problems.append("supplies \(name), which is no argument")
        }
        let place = command.map { "`\($0.name)` " } ?? ""
        return problems.map { "\(place)`--\(option.long)` \($0)" }
    }

    private func exampleProblems() -> [String] {
        (examples + commands.flatMap(\.examples)).flatMap { example in
            do throws(UsageError) {
                for words in try invocations(in: example.command) { _ = try parse(words) }
                return example.explains.isEmpty ? ["example `\(example.command)` explains nothing"] : []
            } catch {
                return ["example `\(example.command)`: \(error.message)"]
            }
        }
    }

    /// The command lines of this program within an example, which may be a pipeline or redirect to a file.
    private func invocations(in example: String) throws(UsageError) -> [[String]] {
        let parts = try splitWords(example).split(separator: "|")
        return parts.compactMap { part in
            let words = part.prefix { $0 != ">" && $0 != "<" }
            if words.first == program { return Array(words.dropFirst()) }
            return parts.count == 1 ? Array(words) : nil
        }
    }

    private static func isName(_ name: String) -> Bool {
        let first = name.utf8.first ?? 0
        return name.utf8.count > 1 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
            && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
    }

    /// Each value that occurs more than once.
    private func repeated(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return distinct(values.filter { !seen.insert($0).inserted })
    }

    private func distinct(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0).inserted }
    }
}
