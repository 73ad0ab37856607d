extension Command {
    /// Returns the usage line, `usher user show <USER> [options]`.
    ///
    /// The notation is that of `gh`: `<value>`, `[optional]`, `{either | or}`, `repeated...`.
    package func usage(program: String) -> String {
        let required = options.filter { $0.isRequired && !$0.isHidden }.map(\.notation)
        return ([program] + path + arguments.map(notation) + required + ["[options]"]).joined(separator: " ")
    }

    /// An argument as usage lines show it, with the options that may stand in for it.
    private func notation(_ argument: Argument) -> String {
        let bare = argument.arity.isVariadic ? "<\(argument.name)>..." : "<\(argument.name)>"
        let instead = options.filter { $0.supplies.contains(argument.name) && !$0.isHidden }.map(\.notation)
        let either = ([bare] + instead).joined(separator: " | ")
        if !argument.arity.isRequired { return "[\(either)]" }
        return instead.isEmpty ? bare : "{\(either)}"
    }
}
