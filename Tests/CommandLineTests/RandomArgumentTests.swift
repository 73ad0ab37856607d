import AppFile
import CommandLine
import Testing

/// The parser reads or refuses random input, and never crashes.
@Suite struct RandomArgumentTests {
    @Test(arguments: [
        "usher user find ann --limit 5 -o json --dry-run",
        "user why 'ann lee' --assume \"tier=gold\" --assume k=v --at 2026-01-01T00:00:00Z",
        "account note a b c \"it's\\\" fine\" --source=mail --weight -1.5 -qvn # done",
        "-d 'host=db port=5432' --json account delete --from users.txt --collateral keep -y",
        "help user show -- -x --bogus=é😀", "-h db.host", "-dry-run --no-color -ojson=x",
    ])
    func parserReadsOrRefusesEveryPrefixAndSuffixOfACommandLine(line: String) {
        for end in line.unicodeScalars.indices {
            check(String(line.unicodeScalars[..<end]))
            check(String(line.unicodeScalars[end...]))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func parserReadsOrRefusesRandomWords(seed: UInt64) {
        var random = Generator(state: seed)
        for _ in 0..<1_000 {
            check((0..<Int.random(in: 0...7, using: &random)).map { _ in word(using: &random) })
        }
    }

    @Test(arguments: [5, 6] as [UInt64])
    func parserSplitsOrRefusesRandomLinesAndReadsQuotedWordsBack(seed: UInt64) throws {
        var random = Generator(state: seed)
        let alphabet = Array("ab'\"\\ #\n\t$`-=é\u{301}😀".unicodeScalars)
        for _ in 0..<1_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                scalars.append(alphabet.randomElement(using: &random) ?? "a")
            }
            let text = String(scalars)
            check(text)
            let words = try splitWords(quoteWord(text))
            #expect(words.map { Array($0.utf8) } == [Array(text.utf8)])
        }
    }

    private func check(_ line: String) {
        if let words = try? splitWords(line) { check(words) }
    }

    private func check(_ words: [String]) {
        let grammar = Fixture.grammar
        _ = grammar.parseLine(words)
        if let request = try? grammar.helpRequest(for: words) { _ = grammar.help(request).text(width: words.count) }
        do throws(UsageError) {
            guard case .run(let invocation) = try grammar.parse(words) else { return }
            let command = invocation.command
            let supplied = command.options.filter { invocation.flag($0.long) }.flatMap(\.supplies)
            for argument in command.arguments where argument.isRequired && !supplied.contains(argument.name) {
                #expect(!invocation.arguments(argument.name).isEmpty, "\(words)")
            }
            for name in invocation.options.keys {
                #expect(grammar.option(name, of: command) != nil, "\(words)")
            }
            let total = invocation.arguments.values.map(\.count).reduce(0, +)
            #expect(total <= words.count, "\(words)")
        } catch {
            #expect(!error.message.isEmpty, "\(words)")
        }
    }

    private func word(using random: inout Generator) -> String {
        let commands = Fixture.grammar.commands
        let options = Fixture.grammar.globals + commands.flatMap(\.options)
        let long = options.randomElement(using: &random)?.long ?? ""
        let value = Self.values.randomElement(using: &random) ?? ""
        switch Int.random(in: 0...6, using: &random) {
        case 0: return commands.randomElement(using: &random)?.path.first ?? ""
        case 1: return commands.randomElement(using: &random)?.path.last ?? ""
        case 2: return "--\(long)"
        case 3: return "--\(long)=\(value)"
        case 4: return "-" + String((0...3).map { _ in "dnoqvyhx=-5é".randomElement(using: &random) ?? "q" })
        case 5: return String(long.shuffled(using: &random))
        default: return value
        }
    }

    static let values = [
        "", "-", "--", "---", "=", "--=", "-=", "5", "-5", "-1e400", "9999999999999999999999", "json", "keep", "k=v",
        "a b", "-- x", "é", "\u{301}", "-\u{301}", "--\u{301}yes", "-\u{301}y", "\u{202e}", "😀", "\0", "\r\n", "ann@x",
    ]

    /// The random generator SplitMix64: a seed produces the same words in every run.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
