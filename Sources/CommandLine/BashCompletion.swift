/// Writes the completion script for bash 3.2 and later, which needs no bash-completion package.
struct BashCompletion {
    let table: CompletionTable

    /// The whole script.
    var script: String {
        """
        # Completion of \(table.program) for bash 3.2 and later: eval "$(\(table.program) completion bash)"

        \(table.dynamicNote(table.dynamicKinds))
        _\(table.identifier)_dynamic() { # KIND PREFIX
            :
        }

        _\(table.identifier)_option_value() { # SPOT|OPTION; sets entries, files and dynamic
            case $1 in
        \(optionRules.indented(2))
            esac
        }

        _\(table.identifier)_argument() { # SPOT|NUMBER; sets entries, files and dynamic
            case $1 in
        \(argumentRules.indented(2))
            esac
        }

        _\(table.identifier)_words() { # SPOT; sets entries
            case $1 in
        \(wordRules(table.words).indented(2))
            esac
        }

        _\(table.identifier)_options() { # SPOT; sets entries
            case $1 in
        \(wordRules(table.options).indented(2))
            esac
            entries+=(\(list(table.globals)))
        }

        _\(table.identifier)_offer() { # CANDIDATE...; keeps those that begin with what was typed
            local candidate quoted
            for candidate in "$@"; do
                [[ $candidate == "$cur"* ]] || continue
                printf -v quoted %q "$candidate"
                COMPREPLY+=("$prefix$quoted")
            done
        }

        \(walk)

        \(offer)

        complete -F _\(table.identifier) \(table.program)

        """
    }

    /// The part of the main function that reads the words before the cursor.
    private var walk: String {
        #"""
        _\#(table.identifier)() {
            local cur='' prefix='' line=${COMP_LINE-} breaks=${COMP_WORDBREAKS-} cut word letter i j
            local spot='' slot=0 option='' ended='' files='' dynamic=''
            local -a typed entries
            typed=()
            entries=()
            COMPREPLY=()

            # Bash splits words at = : @ too: put together again what was typed without a space between.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if ((i > 0)) && [[ -n ${COMP_LINE-} && $line != [[:space:]]* ]]; then
                    typed[${#typed[@]} - 1]+=$word
                else
                    typed+=("$word")
                    line=${line#"${line%%[![:space:]]*}"}
                fi
                line=${line#"$word"}
            done
            cur=${typed[${#typed[@]} - 1]}

            for ((i = 1; i < ${#typed[@]} - 1; i++)); do
                word=${typed[i]}
                if [[ -n $option ]]; then
                    option=''
                elif [[ -z $ended && $word == -- ]]; then
                    ended=1
                elif [[ -z $ended && $word == --* ]]; then
                    case $word in
                        \#(pattern(table.valueOptions))) option=$word ;;
                    esac
                elif [[ -z $ended && $word == -[!0-9.]* ]]; then
                    for ((j = 1; j < ${#word}; j++)); do
                        letter=${word:j:1}
                        case $letter in
                            \#(pattern(table.valueLetters)))
                                ((j == ${#word} - 1)) && option=-$letter
                                break
                                ;;
                        esac
                    done
                else
                    case $spot in
                        '') spot=$word ;;
                        \#(pattern(table.nouns))) spot="$spot $word" ;;
                        *) ((slot += 1)) ;;
                    esac
                fi
            done
        """#
    }

    /// The part of the main function that chooses the candidates.
    private var offer: String {
        #"""
            if [[ -z $option && -z $ended && $cur == --*=* ]]; then
                option=${cur%%=*}
                cur=${cur#*=}
                [[ $breaks == *=* ]] || prefix=$option=
            fi
            if [[ -n $option ]]; then
                _\#(table.identifier)_option_value "$spot|$option"
            elif [[ -z $ended && $cur == -* ]]; then
                _\#(table.identifier)_options "$spot"
            else
                _\#(table.identifier)_words "$spot"
                _\#(table.identifier)_argument "$spot|$slot"
            fi

            _\#(table.identifier)_offer ${entries[@]+"${entries[@]}"}
            if [[ -n $dynamic ]]; then
                while IFS= read -r word; do
                    [[ -n $word ]] && _\#(table.identifier)_offer "$word"
                done <<<"$(_\#(table.identifier)_dynamic "$dynamic" "$cur")"
            fi
            if [[ -n $files ]]; then
                # With this, readline quotes the names and marks folders; bash before 4 has no compopt.
                compopt -o filenames 2>/dev/null
                while IFS= read -r word; do
                    [[ -n $word ]] && COMPREPLY+=("$prefix$word")
                done <<<"$(compgen -f -- "$cur")"
            fi

            # Readline replaces only what follows the last character that it breaks words at, but an @ is part of it.
            cut=${cur%"${cur##*["$breaks"]}"}
            cut=${cut%@}
            if [[ -n $breaks && -n $cut && ${#COMPREPLY[@]} -gt 0 ]]; then
                COMPREPLY=("${COMPREPLY[@]#"$cut"}")
            fi
        }
        """#
    }

    private var optionRules: String {
        rules(
            table.optionRules.map { rule in
                let spot = rule.spot.map { quoteWord($0 + "|") } ?? "*'|'"
                return (rule.spellings.map { spot + $0 }.joined(separator: " | "), rule.values)
            })
    }

    private var argumentRules: String {
        rules(
            table.argumentRules.map { rule in
                (quoteWord(rule.spot + "|") + (rule.slot.map { String($0) } ?? "*"), rule.values)
            })
    }

    private func rules(_ rules: [(pattern: String, values: CompletionTable.Values)]) -> String {
        rules.map { rule in
            var actions: [String] = []
            if !rule.values.entries.isEmpty { actions.append("entries=(\(list(rule.values.entries)))") }
            if rule.values.files { actions.append("files=1") }
            if let kind = rule.values.dynamic { actions.append("dynamic=\(quoteWord(kind))") }
            return "\(rule.pattern)) \(actions.joined(separator: " ")) ;;"
        }.joined(separator: "\n")
    }

    private func wordRules(_ rules: [CompletionTable.Words]) -> String {
        rules.map { "\(quoteWord($0.spot))) entries=(\(list($0.entries))) ;;" }.joined(separator: "\n")
    }

    private func list(_ entries: [CompletionTable.Entry]) -> String {
        entries.map { quoteWord($0.name) }.joined(separator: " ")
    }

    /// A pattern of alternatives; of none, one that matches no word.
    private func pattern(_ names: [String]) -> String {
        names.isEmpty ? "''" : names.map(quoteWord).joined(separator: " | ")
    }
}
