/// A shell with a completion script.
package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension Grammar {
    /// A script that asks usher for completions and shows them in the shell.
    package func completionScript(for shell: Shell) -> String {
        let name = String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return switch shell {
        case .bash: Shell.bash(program, name)
        case .zsh: Shell.zsh(program, name)
        case .fish: Shell.fish(program, name)
        }
    }
}
