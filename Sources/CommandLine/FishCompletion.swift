extension Shell {
    /// The script for fish 3 and later.
    static func fish(_ program: String, _ name: String) -> String {
        #"""
        # Completion of \#(program) for fish: \#(program) completion fish | source
        # `\#(program) __complete -- WORDS` prints the candidates, one per line, each with its meaning after a tab.

        function __\#(name)_complete
            set -l typed (commandline -opc)
            set -l current (commandline -ct)
            set -l program $typed[1]
            set -e typed[1]
            # The program gets the word without its quotes; a quote may still be open.
            for end in '' \' \"
                if set -l bare (string unescape -- "$current$end")
                    set current $bare
                    break
                end
            end
            for line in ($program __complete -- $typed "$current" 2>/dev/null </dev/null)
                if not string match -q -- ':*' $line
                    printf '%s\n' $line
                else if string match -q -- '*files*' $line
                    set -l parts (string match -r -- '^(--[^=]*=)?(.*)$' "$current")
                    set -l lead (string match -r -- '^--[^=]*=' "$current")
                    for file in (__fish_complete_path $parts[-1])
                        printf '%s\n' "$lead$file"
                    end
                end
            end
        end

        complete -c \#(program) -e
        complete -c \#(program) -f -a '(__\#(name)_complete)'

        """#
    }
}
