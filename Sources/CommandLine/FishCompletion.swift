/// Writes the completion script for fish 3 and later.
struct FishCompletion {
    let table: CompletionTable

    /// The whole script.
    var script: String {
        """
        # Completion of \(table.program) for fish: \(table.program) completion fish | source

        \(table.dynamicNote(table.dynamicKinds))
        function __\(table.identifier)_dynamic --argument-names kind prefix
        end

        function __\(table.identifier)_files --argument-names prefix
            __fish_complete_path $prefix
        end

        function __\(table.identifier)_option_value --argument-names spot option prefix
            switch "$spot|$option"
        \(optionRules.indented(2))
            end
        end

        function __\(table.identifier)_argument --argument-names spot slot prefix
            switch "$spot|$slot"
        \(argumentRules.indented(2))
            end
        end

        function __\(table.identifier)_words --argument-names spot
            switch "$spot"
        \(wordRules(table.words).indented(2))
            end
        end

        function __\(table.identifier)_options --argument-names spot
            switch "$spot"
        \(wordRules(table.options).indented(2))
            end
        \(list(table.globals).indented(1))
        end

        \(main)

        complete -c \(table.program) -e
        complete -c \(table.program) -f -a '(__\(table.identifier)_complete)'

        """
    }

    private var main: String {
        #"""
        function __\#(table.identifier)_complete
            set -l typed (commandline -opc)
            set -l current (commandline -ct)
            set -l spot ''
            set -l option ''
            set -l ended ''
            set -l slot 0
            set -e typed[1]
            for word in $typed
                if test -n "$option"
                    set option ''
                else if test -z "$ended" -a "x$word" = x--
                    set ended 1
                else if test -z "$ended"; and string match -q -- '--*' $word
                    if contains -- $word \#(words(table.valueOptions))
                        set option $word
                    end
                else if test -z "$ended"; and string match -qr -- '^-[^0-9.]' $word
                    set -l letters (string split '' -- (string sub -s 2 -- $word))
                    for index in (seq (count $letters))
                        if contains -- $letters[$index] \#(words(table.valueLetters))
                            test $index -eq (count $letters); and set option -$letters[$index]
                            break
                        end
                    end
                else if test -z "$spot"
                    set spot $word
                else if contains -- $spot \#(words(table.nouns))
                    set spot "$spot $word"
                else
                    set slot (math $slot + 1)
                end
            end

            if test -n "$option"
                __\#(table.identifier)_option_value "$spot" $option "$current"
            else if test -z "$ended"; and string match -q -- '--*=*' $current
                set -l parts (string split -m 1 = -- $current)
                set -l found (__\#(table.identifier)_option_value "$spot" $parts[1] "$parts[2]")
                test (count $found) -gt 0; and printf '%s\n' $parts[1]=$found
            else if test -z "$ended"; and string match -q -- '-*' $current
                __\#(table.identifier)_options "$spot"
            else
                __\#(table.identifier)_words "$spot"
                __\#(table.identifier)_argument "$spot" $slot "$current"
            end
        end
        """#
    }

    private var optionRules: String {
        rules(
            table.optionRules.map { rule in
                let spot = rule.spot.map { $0 + "|" } ?? "*|"
                return (rule.spellings.map { quote(spot + $0) }.joined(separator: " "), rule.values)
            })
    }

    private var argumentRules: String {
        rules(
            table.argumentRules.map { rule in
                let slot = rule.slot.map { String($0) } ?? "*"
                return (quote("\(rule.spot)|\(slot)"), rule.values)
            })
    }

    private func rules(_ rules: [(pattern: String, values: CompletionTable.Values)]) -> String {
        rules.map { rule in
            var actions: [String] = []
            if !rule.values.entries.isEmpty { actions.append(list(rule.values.entries)) }
            if rule.values.files { actions.append("__\(table.identifier)_files \"$prefix\"") }
            if let kind = rule.values.dynamic {
                actions.append("__\(table.identifier)_dynamic \(quote(kind)) \"$prefix\"")
            }
            return "case \(rule.pattern)\n\(actions.joined(separator: "\n").indented(1))"
        }.joined(separator: "\n")
    }

    private func wordRules(_ rules: [CompletionTable.Words]) -> String {
        rules.map { "case \(quote($0.spot))\n\(list($0.entries).indented(1))" }.joined(separator: "\n")
    }

    /// Commands that print candidates, each with a tab and its summary.
    private func list(_ entries: [CompletionTable.Entry]) -> String {
        entries.map { entry in
            if entry.summary.isEmpty { return "printf '%s\\n' \(quote(entry.name))" }
            return "printf '%s\\t%s\\n' \(quote(entry.name)) \(quote(entry.summary.onOneLine))"
        }.joined(separator: "\n")
    }

    /// Within single quotes fish takes everything as it is but a quote and a backslash.
    private func quote(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "'\(escaped.joined())'"
    }

    private func words(_ names: [String]) -> String {
        names.map(quote).joined(separator: " ")
    }
}
