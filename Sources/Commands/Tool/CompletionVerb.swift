import Asking
import CommandLine
import Terminal

extension Verb {
    static let completion = Verb(
        Command(
            path: ["completion"], summary: "Print the completion script of a shell.",
            discussion: """
                Bash: `eval "$(usher completion bash)"` in ~/.bashrc. Zsh: save the script as `_usher` in a folder of $fpath. \
                Fish: save the script as ~/.config/fish/completions/usher.fish.
                """,
            arguments: [
                Argument(
                    name: "SHELL", kind: .choice(Shell.allCases.map { Choice(name: $0.rawValue) }),
                    summary: "The shell that runs the script.")
            ],
            examples: [
                Example(
                    command: "completion bash", explains: "Print the script without installing it.",
                    output: """
                        # Completion of usher for bash 3.2 and later: eval "$(usher completion bash)"
                        """)
            ]),
        reach: .here
    ) { invocation, context throws(Failure) in
        guard let shell = invocation.argument("SHELL").flatMap(Shell.init) else { return .usage }
        context.screen.data(Array(context.grammar.completionScript(for: shell).utf8))
        return .done
    }
}
