/// A shell that completion scripts exist for.
package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension Grammar {
    /// Returns a script that completes this grammar: nouns, verbs, options, choices and file names.
    ///
    /// It needs nothing but the shell. Hostile names are quoted, since app files bring names too.
    package func completionScript(for shell: Shell) -> String {
        let table = CompletionTable(self)
        return switch shell {
        case .bash: BashCompletion(table: table).script
        case .zsh: ZshCompletion(table: table).script
        case .fish: FishCompletion(table: table).script
        }
    }
}
