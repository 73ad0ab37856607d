extension Shell {
    /// The script for zsh, to load from `$fpath` or evaluate.
    static func zsh(_ program: String, _ name: String) -> String {
        #"""
        #compdef \#(program)
        # Completion of \#(program) for zsh: save this script as _\#(program) in a folder of $fpath, or after compinit
        # eval "$(\#(program) completion zsh)"
        # `\#(program) __complete -- WORDS` prints the candidates, one per line, each with its meaning after a tab.

        _\#(name)() {
            # Don't name a variable path here, because zsh ties path to PATH.
            local line flags='' lead='' candidate summary
            local -a entries space
            [[ $PREFIX == --*=* ]] && lead=${PREFIX%%=*}=
            while IFS= read -r line; do
                case $line in
                    (:*) flags=$line ;;
                    (*)
                        candidate=${${line%%$'\t'*}#$lead}
                        summary=
                        [[ $line == *$'\t'* ]] && summary=:${line#*$'\t'}
                        entries+=("${candidate//:/\\:}$summary")
                        ;;
                esac
            done < <(${(Q)~words[1]} __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)

            [[ $flags == *nospace* ]] && space=(-S '')
            [[ -n $lead ]] && compset -P 1 '*='
            if [[ $PREFIX == -* && -z $lead ]]; then
                _describe -o -t options option entries
            elif ((${#entries})); then
                _describe -t values value entries "${(@)space}"
            fi
            if [[ $flags == *files* ]]; then
                _files
            fi
        }

        if [[ ${funcstack[1]-} == _\#(program) ]]; then
            _\#(name) "$@"
        else
            compdef _\#(name) \#(program)
        fi

        """#
    }
}
