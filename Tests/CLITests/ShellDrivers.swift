/// Shell programs that load the file `completion` and press TAB after each of their arguments.
///
/// The first three drivers print all candidates, each on its own line, and `\u{1}` after each tested line.
enum ShellDrivers {
    /// Calls the completion function with the words as readline would split them.
    ///
    /// `$0` decides whether the driver also passes the whole line.
    static let bash = #"""
        source ./completion
        for line in "$@"; do
            unset COMP_LINE
            if [[ $0 == line ]]; then
                COMP_LINE=$line COMP_POINT=${#line}
                # Words and runs of break characters, as bash splits them.
                COMP_WORDS=()
                rest=$line
                while [[ -n $rest ]]; do
                    rest=${rest#"${rest%%[! ]*}"}
                    word=${rest%%[=:@ ]*}
                    [[ -n $word || -z $rest ]] || word=${rest:0:1}
                    COMP_WORDS+=("$word")
                    rest=${rest#"$word"}
                done
                [[ $line == *' ' && -n ${COMP_WORDS[${#COMP_WORDS[@]} - 1]} ]] && COMP_WORDS+=('')
            else
                COMP_WORDBREAKS=' '
                read -ra COMP_WORDS <<<"$line"
                [[ $line == *' ' ]] && COMP_WORDS+=('')
            fi
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _usher
            printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} $'\1'
        done
        """#

    static let fish = #"""
        source ./completion
        for line in $argv
            complete -C $line
            printf '\1\n'
        end
        """#

    /// Calls the completion function after replacing the helpers of compsys by functions that print.
    static let zsh = #"""
        compdef() { }
        _describe() {
            local -a all=("${(@P)@[-1]}")
            local colon=$'\2'
            all=("${(@)${(@)${(@)all//\\:/$colon}%%:*}//$colon/:}")
            print -rl -- "${(@M)all:#${(b)PREFIX}*}"
        }
        _files() { print -rl -- ${(b)PREFIX}*(N) $~PREFIX*(N) }
        compset() { PREFIX=${PREFIX#*=} }
        source ./completion
        for line in "$@"; do
            words=(${(z)line})
            [[ $line == *' ' ]] && words+=('')
            CURRENT=$#words PREFIX=$words[-1]
            _usher | grep . | sort -u
            print -r -- $'\1'
        done
        """#

    /// Types the line and a TAB into zsh at a terminal, and prints the resulting line.
    static let zshTerminal = #"""
        zmodload zsh/zpty
        zpty z zsh -f -i
        # With a folder the script is found as an installed one is, without it is sourced.
        setup='PS1=; autoload -Uz compinit; compinit -u -D; source ./completion'
        [[ -n $SITE ]] && setup='PS1=; fpath=('${(q)SITE}' $fpath); autoload -Uz compinit; compinit -u -D'
        setup+='; report() { print -r -- "<<$BUFFER>>"; BUFFER= }'
        setup+='; unsetopt zle_bracketed_paste prompt_sp prompt_cr; setopt no_beep; zle -N report; bindkey "^Xr" report'
        zpty -w z "stty cols 200; $setup; print REA''DY"
        zpty -r z out '*READY*'
        for line in "$@"; do
            zpty -w -n z "$line"$'\t\C-Xr'
            zpty -r -m z out '*>>*'
            print -r -- "${${out##*<<}%%>>*}|"
        done
        zpty -d z
        """#

    /// Types the line, a TAB and Enter into bash at a terminal, and prints the words that usher would get.
    static let bashTerminal = #"""
        zmodload zsh/zpty
        zpty b env INPUTRC=/dev/null bash --noprofile --norc -i
        setup="bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; PS1=; source ./completion"
        setup+='; usher() { local IFS="|"; if [[ $1 == __complete ]]; then command usher "$@"; else echo "<<$*>>"; fi; }'
        zpty -w b "$setup; echo REA''DY"
        zpty -r b out '*READY*'
        for line in "$@"; do
            zpty -w -n b "$line"$'\t\n'
            zpty -r -m b out '*<<*>>*'
            print -r -- "${${out##*<<}%%>>*}"
        done
        zpty -d b
        """#
}
