# Completion of usher for bash 3.2 and later: eval "$(usher completion bash)"
# `usher __complete -- WORDS` prints the candidates, one per line, each with its meaning after a tab.

_usher() {
    local cur='' line=${COMP_LINE-} breaks=${COMP_WORDBREAKS-} cut word quoted value quote='' before='' flags='' i
    local -a typed bare
    typed=()
    bare=()
    COMPREPLY=()

    # Bash also splits words at = : @, so join the parts that were typed without a space between them.
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

    # The program gets the words without their quotes.
    for word in "${typed[@]:1}"; do
        quote=''
        value=''
        for ((i = 0; i < ${#word}; i++)); do
            case $quote${word:i:1} in
                "''" | '""') quote='' ;;
                "'"?) value+=${word:i:1} ;;
                \\ | '"\') ((++i)) && value+=${word:i:1} ;;
                \' | \") quote=${word:i:1} before=$value ;;
                *) value+=${word:i:1} ;;
            esac
        done
        bare+=("$value")
    done
    [[ -n $quote ]] || before=''

    while IFS= read -r word; do
        case $word in
            :*) flags=$word ;;
            *)
                word=${word%%$'\t'*}
                # Within quotes readline replaces only the text after the quote.
                case $quote in
                    '') printf -v quoted %q "$word" ;;
                    \') quoted=${word#"$before"} quoted=${quoted//\'/\'\\\'\'} ;;
                    \")
                        quoted=${word#"$before"} quoted=${quoted//\\/\\\\} quoted=${quoted//\"/\\\"}
                        quoted=${quoted//\$/\\\$} quoted=${quoted//\`/\\\`}
                        ;;
                esac
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("${typed[0]/#\~/$HOME}" __complete -- ${bare[@]+"${bare[@]}"} 2>/dev/null </dev/null)

    # Bash before 4 has no compopt.
    [[ $flags == *nospace* ]] && compopt -o nospace 2>/dev/null
    if [[ $flags == *files* ]]; then
        # With this, readline quotes the names and marks folders.
        [[ $breaks == *=* || $cur != --*=* ]] && compopt -o filenames 2>/dev/null
        word=''
        [[ $cur == --*=* ]] && word=${cur%%=*}=
        while IFS= read -r quoted; do
            [[ -n $quoted ]] && quoted=$word$quoted && COMPREPLY+=("${quoted#"$before"}")
        done <<<"$(compgen -f -- "${value#"$word"}")"
    fi

    [[ -n $quote ]] && return
    # Readline replaces only the text after the last word break; if the break is an @, also the @ itself.
    word=$cur
    while [[ $word == *\\?* ]]; do word=${word/\\?/xx}; done
    cut=${word%"${word##*["$breaks"]}"}
    # Bash can't complete a word that is only partly quoted.
    [[ -n $breaks && $cut == *[\'\"]* ]] && COMPREPLY=()
    cut=${cur:0:${#cut}}
    cut=${cut%@}
    if [[ -n $breaks && -n $cut && ${#COMPREPLY[@]} -gt 0 ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}

complete -F _usher usher
