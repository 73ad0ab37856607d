import Asking
import CommandLine
import EmbeddedSQL
import Terminal

extension Verb {
    static let completion = Command(
        "completion", summary: "Print the completion script of a shell.",
        discussion: """
            Bash: `eval "$(usher completion bash)"` in ~/.bashrc. Zsh: save the script as `_usher` in a folder of $fpath. \
            Fish: save the script as ~/.config/fish/completions/usher.fish.
            """,
        arguments: [Argument("SHELL", .choice(["bash", "zsh", "fish"]), summary: "The shell that runs the script.")],
        examples: [
            Example(
                "completion bash", explains: "Print the script without installing it.",
                output: """
                    # Completion of usher for bash 3.2 and later: eval "$(usher completion bash)"
                    """)
        ]
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) -> Void in
        let shell = invocation.argument("SHELL") ?? ""
        let file = shell == "zsh" ? "_usher" : "usher.\(shell)"
        context.screen.data(EmbeddedSQL.bytes(of: "completions/" + file) ?? [])
    }
}
