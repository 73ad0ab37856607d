/// Writes the completion script for zsh, to be loaded from `$fpath` or evaluated.
struct ZshCompletion {
    let table: CompletionTable

    /// The whole script.
    var script: String {
        """
        #compdef \(table.program)
        # Completion of \(table.program) for zsh: save it as _\(table.program) in a folder of $fpath, or after compinit
        # eval "$(\(table.program) completion zsh)"

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
            entries+=(
        \(list(table.globals).indented(2))
            )
        }

        \(main)

        if [[ ${funcstack[1]-} == _\(table.program) ]]; then
            _\(table.identifier) "$@"
        else
            compdef _\(table.identifier) \(table.program)
        fi

        """
    }

    private var main: String {
        #"""
        _\#(table.identifier)() {
            # No variable may be named path here: zsh ties it to PATH.
            local word spot='' option='' ended='' letter files='' dynamic=''
            local -i i j slot=0
            local -a entries
            for ((i = 2; i < CURRENT; i++)); do
                word=${(Q)words[i]}
                if [[ -n $option ]]; then
                    option=''
                elif [[ -z $ended && $word == -- ]]; then
                    ended=1
                elif [[ -z $ended && $word == --* ]]; then
                    case $word in
                        (\#(pattern(table.valueOptions))) option=$word ;;
                    esac
                elif [[ -z $ended && $word == -[^0-9.]* ]]; then
                    for ((j = 2; j <= ${#word}; j++)); do
                        letter=${word[j]}
                        case $letter in
                            (\#(pattern(table.valueLetters)))
                                ((j == ${#word})) && option=-$letter
                                break
                                ;;
                        esac
                    done
                else
                    case $spot in
                        ('') spot=$word ;;
                        (\#(pattern(table.nouns))) spot="$spot $word" ;;
                        (*) ((slot += 1)) ;;
                    esac
                fi
            done

            if [[ -z $option && -z $ended && $PREFIX == --*=* ]]; then
                option=${PREFIX%%=*}
                compset -P 1 '*='
            fi
            if [[ -n $option ]]; then
                _\#(table.identifier)_option_value "$spot|$option"
            elif [[ -z $ended && $PREFIX == -* ]]; then
                _\#(table.identifier)_options "$spot"
            else
                _\#(table.identifier)_words "$spot"
                _\#(table.identifier)_argument "$spot|$slot"
            fi
            if [[ -n $dynamic ]]; then
                entries+=(${${(f)"$(_\#(table.identifier)_dynamic $dynamic $PREFIX)"}//:/\\:})
            fi
            if [[ $PREFIX == -* && -z $option && -z $ended ]]; then
                _describe -o -t options option entries
            elif ((${#entries})); then
                _describe -t values value entries
            fi
            if [[ -n $files ]]; then
                _files
            fi
        }
        """#
    }

    private var optionRules: String {
        rules(
            table.optionRules.map { rule in
                let spot = rule.spot.map { quote($0 + "|") } ?? "*'|'"
                return (rule.spellings.map { spot + $0 }.joined(separator: " | "), rule.values)
            })
    }

    private var argumentRules: String {
        rules(
            table.argumentRules.map { rule in
                (quote(rule.spot + "|") + (rule.slot.map { String($0) } ?? "*"), rule.values)
            })
    }

    private func rules(_ rules: [(pattern: String, values: CompletionTable.Values)]) -> String {
        rules.map { rule in
            var actions: [String] = []
            if !rule.values.entries.isEmpty {
                actions.append("entries=(\n\(list(rule.values.entries).indented(1))\n)")
            }
            if rule.values.files { actions.append("files=1") }
            if let kind = rule.values.dynamic { actions.append("dynamic=\(quote(kind))") }
            return "(\(rule.pattern))\n\(actions.joined(separator: "\n").indented(1))\n    ;;"
        }.joined(separator: "\n")
    }

    private func wordRules(_ rules: [CompletionTable.Words]) -> String {
        rules.map { "(\(quote($0.spot)))\n    entries=(\n\(list($0.entries).indented(2))\n    )\n    ;;" }
            .joined(separator: "\n")
    }

    /// Candidates as `_describe` wants them, `name:summary`, one a line.
    private func list(_ entries: [CompletionTable.Entry]) -> String {
        entries.map { entry in
            let name = entry.name.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
            return quote(entry.summary.isEmpty ? name : "\(name):\(entry.summary.onOneLine)")
        }.joined(separator: "\n")
    }

    private func quote(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    /// A pattern of alternatives; of none, one that matches no word.
    private func pattern(_ names: [String]) -> String {
        names.isEmpty ? "''" : names.map(quote).joined(separator: " | ")
    }
}
