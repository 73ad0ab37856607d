/// The words of a command line, sorted into options and plain words without knowing the command.
struct OptionScan {
    /// A known option, with its value unless it is a flag.
    struct Given {
        var long: String
        var value: String?
        /// The spelling as typed, `-o` or `--output`.
        var spelling: String
    }

    struct Unknown {
        var spelling: String
        /// The cluster that contains the option, such as `-qx`; nil for an option of its own.
        var cluster: String?
        /// True if a plain word comes before the option.
        var followsWord = false
    }

    private(set) var words: [String] = []
    private(set) var given: [Given] = []
    private(set) var unknown: [Unknown] = []
    /// The first mistake: a flag with a value, or an option without its value.
    private(set) var fault: UsageError?

    /// True if `--` ended the options.
    private(set) var hasEnded = false
    /// The option whose value is missing at the end of the words.
    private(set) var pending: String?

    /// The options of all commands, each with true if it takes a value.
    private var takesValue: [String: Bool] = [:]
    private var longs: [Character: String] = [:]
    private var rest: ArraySlice<String>

    /// Scans words with the options of all commands; of two options with the same name, the first counts.
    init(_ words: [String], _ grammar: Grammar) {
        rest = words[...]
        add(grammar.globals)
        for command in grammar.commands { add(command.options) }
        while let word = rest.popFirst() {
            if word == "--" {
                self.words += rest
                hasEnded = true
                break
            }
            if !Self.looksLikeOption(word) {
                self.words.append(word)
            } else if word.unicodeScalars.starts(with: "--".unicodeScalars) {
                scanLong(word)
            } else {
                scanCluster(word)
            }
        }
    }

    private mutating func add(_ options: [Option]) {
        for option in options {
            if takesValue[option.long] == nil { takesValue[option.long] = option.value != nil }
            if let short = option.short, longs[short] == nil { longs[short] = option.long }
        }
    }

    func has(_ long: String) -> Bool {
        given.contains { $0.long == long }
    }

    /// True if a word is an option rather than a value: not `-`, `-5`, `-.5` or a phrase that starts with a dash.
    static func looksLikeOption(_ word: String) -> Bool {
        var scalars = word[...].unicodeScalars
        guard scalars.popFirst() == "-", let second = scalars.first else { return false }
        if second == "-" {
            return !scalars.prefix { $0 != "=" }.contains { $0.properties.isWhitespace }
        }
        return !("0"..."9" ~= second || second == "." || second.properties.isWhitespace)
    }

    private mutating func scanLong(_ word: String) {
        let (spelling, value) = Self.split(word)
        let long = String(spelling.unicodeScalars.dropFirst(2))
        guard let takesValue = self.takesValue[long] else {
            unknown.append(Unknown(spelling: spelling, followsWord: !words.isEmpty))
            return
        }
        record(long, spelling: spelling, takesValue: takesValue, attached: value)
    }

    private mutating func scanCluster(_ word: String) {
        // `-dry-run` could otherwise mean `-d ry-run`, and the command would run for real.
        let (spelling, _) = Self.split(word)
        if spelling.count > 2, takesValue[String(spelling.dropFirst())] != nil {
            unknown.append(Unknown(spelling: spelling, followsWord: !words.isEmpty))
            return
        }
        // Reads scalars, because Swift combines a dash with a following accent.
        var letters = word[...].unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let spelling = "-\(letter)"
            guard let long = longs[Character(letter)], let takesValue = self.takesValue[long] else {
                unknown.append(
                    Unknown(spelling: spelling, cluster: word.count > 2 ? word : nil, followsWord: !words.isEmpty))
                return
            }
            if takesValue || letters.first == "=" {
                let attached = letters.first == "=" ? letters.dropFirst() : letters
                let hasValue = !letters.isEmpty
                record(long, spelling: spelling, takesValue: takesValue, attached: hasValue ? String(attached) : nil)
                return
            }
            record(long, spelling: spelling, takesValue: false, attached: nil)
        }
    }

    private mutating func record(_ long: String, spelling: String, takesValue: Bool, attached: String?) {
        var value = attached
        if takesValue && attached == nil {
            guard let next = rest.first, !Self.looksLikeOption(next) else {
                if rest.isEmpty { pending = long }
                let hint = rest.first.map { "to use `\($0)` as the value, write `--\(long)=\($0)`" }
                fault = fault ?? UsageError(message: "`\(spelling)` needs a value", hint: hint)
                return
            }
            value = next
            rest.removeFirst()
        } else if !takesValue, let attached {
            fault = fault ?? UsageError(message: "`\(spelling)` doesn't take a value, but got `\(attached)`")
        }
        given.append(Given(long: long, value: value, spelling: spelling))
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.utf8.index(after: equals)...]))
    }
}
