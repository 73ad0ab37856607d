# Completion of usher for bash 3.2 and later: eval "$(usher completion bash)"

# Names that only the app or the database knows (app, check, column, decision, operation, selection, setting, settings, state, user) come from here and from nowhere else.
# Nothing offers them yet: to do so, print those of KIND that begin with PREFIX, one a line, by calling
# `usher __complete KIND PREFIX`.
_usher_dynamic() { # KIND PREFIX
    :
}

_usher_option_value() { # SPOT|OPTION; sets entries, files and dynamic
    case $1 in
        'user list|'--where) dynamic=selection ;;
        'user list|'--decision) dynamic=decision ;;
        'user why|'--facts) files=1 ;;
        'account plan|'--collateral) entries=(delete keep detach) ;;
        'account delete|'--collateral) entries=(delete keep detach) ;;
        'account delete|'--suspected) entries=(delete detach keep) ;;
        'account delete|'--from) files=1 ;;
        'audit list|'--user) dynamic=user ;;
        'install|'--environment) entries=(production staging development test) ;;
        'demo|'--stop) files=1 ;;
        *'|'--app) files=1 dynamic=app ;;
        *'|'--output | *'|'-o) entries=(table json ndjson csv tsv name) ;;
    esac
}

_usher_argument() { # SPOT|NUMBER; sets entries, files and dynamic
    case $1 in
        'user show|'0) dynamic=user ;;
        'user why|'0) dynamic=user ;;
        'user timeline|'0) dynamic=user ;;
        'quota show|'0) dynamic=user ;;
        'quota set|'0) dynamic=setting ;;
        'quota set|'1) dynamic=column ;;
        'settings show|'0) dynamic=settings ;;
        'settings set|'0) dynamic=settings ;;
        'settings set|'1) dynamic=setting ;;
        'settings set|'2) dynamic=column ;;
        'account plan|'0) dynamic=user ;;
        'account delete|'*) dynamic=user ;;
        'state force|'0) dynamic=user ;;
        'state force|'1) dynamic=state ;;
        'audit undo|'0) dynamic=operation ;;
        'app show|'0) files=1 dynamic=app ;;
        'app check|'0) files=1 dynamic=app ;;
        'check|'0) dynamic=check ;;
        'demo|'0) files=1 dynamic=app ;;
        'completion|'0) entries=(bash zsh fish) ;;
        'help|'0) entries=(connection exit-codes formatting environment apps safety user account quota settings state audit app check install doctor demo completion help version) ;;
    esac
}

_usher_words() { # SPOT; sets entries
    case $1 in
        '') entries=(user account quota settings state audit app check install doctor demo completion help version) ;;
        user) entries=(find list show why timeline) ;;
        account) entries=(plan delete) ;;
        quota) entries=(show set) ;;
        settings) entries=(show set) ;;
        state) entries=(list force) ;;
        audit) entries=(list show undo verify) ;;
        app) entries=(list show check init) ;;
    esac
}

_usher_options() { # SPOT; sets entries
    case $1 in
        'user find') entries=(--limit) ;;
        'user list') entries=(--where --decision --limit) ;;
        'user why') entries=(--assume --facts) ;;
        'user timeline') entries=(--since --limit) ;;
        'account plan') entries=(--root --collateral --check) ;;
        'account delete') entries=(--root --collateral --set --suspected --allow-effects --from) ;;
        'state force') entries=(--all-states) ;;
        'audit list') entries=(--limit --user --operator --since) ;;
        'audit verify') entries=(--head) ;;
        check) entries=(--limit) ;;
        install) entries=(--environment --sql) ;;
        demo) entries=(--keep --stop) ;;
        help) entries=(--man) ;;
    esac
    entries+=(--db --app --output --json --fields --dry-run --yes --confirm --reason --ticket --at --timeout --keep-going --no-color --no-input --no-pager --no-progress --quiet --verbose --show-sql --help --version)
}

_usher_offer() { # CANDIDATE...; keeps those that begin with what was typed
    local candidate quoted
    for candidate in "$@"; do
        [[ $candidate == "$cur"* ]] || continue
        printf -v quoted %q "$candidate"
        COMPREPLY+=("$prefix$quoted")
    done
}

_usher() {
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
                --app | --assume | --at | --collateral | --confirm | --db | --decision | --environment | --facts | --fields | --from | --head | --limit | --operator | --output | --reason | --root | --set | --since | --stop | --suspected | --ticket | --timeout | --user | --where) option=$word ;;
            esac
        elif [[ -z $ended && $word == -[!0-9.]* ]]; then
            for ((j = 1; j < ${#word}; j++)); do
                letter=${word:j:1}
                case $letter in
                    d | o)
                        ((j == ${#word} - 1)) && option=-$letter
                        break
                        ;;
                esac
            done
        else
            case $spot in
                '') spot=$word ;;
                user | account | quota | settings | state | audit | app) spot="$spot $word" ;;
                *) ((slot += 1)) ;;
            esac
        fi
    done

    if [[ -z $option && -z $ended && $cur == --*=* ]]; then
        option=${cur%%=*}
        cur=${cur#*=}
        [[ $breaks == *=* ]] || prefix=$option=
    fi
    if [[ -n $option ]]; then
        _usher_option_value "$spot|$option"
    elif [[ -z $ended && $cur == -* ]]; then
        _usher_options "$spot"
    else
        _usher_words "$spot"
        _usher_argument "$spot|$slot"
    fi

    _usher_offer ${entries[@]+"${entries[@]}"}
    if [[ -n $dynamic ]]; then
        while IFS= read -r word; do
            [[ -n $word ]] && _usher_offer "$word"
        done <<<"$(_usher_dynamic "$dynamic" "$cur")"
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

complete -F _usher usher
