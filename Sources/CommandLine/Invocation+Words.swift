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
