# Completion of usher for bash 3.2 and later: eval "$(usher completion bash)"
# The program itself says what fits: `usher __complete -- WORDS`, one candidate a line, a tab, what it means.

_usher() {
    local cur='' line=${COMP_LINE-} breaks=${COMP_WORDBREAKS-} cut word quoted flags='' i
    local -a typed
    typed=()
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

    while IFS= read -r word; do
        case $word in
            :*) flags=$word ;;
            *)
                printf -v quoted %q "${word%%$'\t'*}"
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("${typed[0]/#\~/$HOME}" __complete -- "${typed[@]:1}" 2>/dev/null </dev/null)

    # Bash before 4 has no compopt.
    [[ $flags == *nospace* ]] && compopt -o nospace 2>/dev/null
    if [[ $flags == *files* ]]; then
        # With this, readline quotes the names and marks folders.
        compopt -o filenames 2>/dev/null
        word=''
        [[ $cur == --*=* && $breaks != *=* ]] && word=${cur%%=*}=
        [[ $cur == --*=* ]] && cur=${cur#*=}
        while IFS= read -r quoted; do
            [[ -n $quoted ]] && COMPREPLY+=("$word$quoted")
        done <<<"$(compgen -f -- "$cur")"
    fi

    # Readline replaces only what follows the last character that it breaks words at, but an @ is part of it.
    cut=${cur%"${cur##*["$breaks"]}"}
    cut=${cut%@}
    if [[ -n $breaks && -n $cut && ${#COMPREPLY[@]} -gt 0 ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}

complete -F _usher usher
