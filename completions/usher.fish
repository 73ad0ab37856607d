# Completion of usher for fish: usher completion fish | source
# `usher __complete -- WORDS` prints the candidates, one per line, each with its meaning after a tab.

function __usher_complete
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

complete -c usher -e
complete -c usher -f -a '(__usher_complete)'
