import Accounts
import Changes
import CommandLine
import Commands
import PQ
import Terminal

/// A pasted text with several commands.
///
/// The console shows them with their grades and runs them only after a yes. Lines that are typed ahead aren't a paste; they
/// run one by one.
struct Paste {
    let commands: [String]

    /// The commands of a text; a line break within quotes belongs to its command.
    init(_ text: String) {
        var commands: [String] = []
        var open = ""
        for line in text.split(whereSeparator: \.isNewline) {
            open += (open.isEmpty ? "" : "\n") + line
            if let words = try? splitWords(open) {
                if !words.isEmpty { commands.append(open) }
                open = ""
            }
        }
        self.commands = open.isEmpty ? commands : commands + [open]
    }

    /// Shows the list and asks; a paste cannot answer for itself.
    func isConfirmed(_ grammar: Grammar, user: String?, _ options: GlobalOptions, on screen: any Screen) -> Bool {
        var graver = 0
        let grades = grades(grammar, user: user)
        for (index, (command, grade)) in zip(commands, grades).enumerated() {
            if grade != .read { graver += 1 }
            let number = SafeText("\(index + 1)").padded(to: 3, alignment: .right)
            screen.note(number + "  " + Self.label(grade) + "  " + SafeText(Secrets.masked(command)))
        }
        screen.flush()
        // One that is not understood may be anything.
        let changing: SafeText = graver == 0 ? "" : "; " + SafeText("\(graver)") + " can change something"
        let question = "Run these " + SafeText("\(commands.count)") + " commands" + changing + "?"
        var options = options
        options.saysYes = false
        let isAccepted = (try? Confirmation.accepts(question, options)) == true
        if !isAccepted { screen.note("Nothing was run.") }
        return isAccepted
    }

    /// The risk of each command, nil for one that can't be parsed; `use` among them chooses the user.
    private func grades(_ grammar: Grammar, user: String?) -> [Grade?] {
        var user = user
        return commands.map { command in
            guard let words = try? Script.words(of: command) else { return nil }
            if Script.isFarewell(command) { return .read }
            if case .run(let invocation) = try? grammar.parse(words, user: user), invocation.command.path == ["use"] {
                let chosen = invocation.argument("USER")
                if invocation.flag("clear") || chosen == "-" { user = nil } else { user = chosen ?? user }
            }
            return grammar.grade(of: words, user: user)
        }
    }

    private static func label(_ grade: Grade?) -> SafeText {
        let width = 8
        switch grade {
        case .read: return ("read" as SafeText).padded(to: width)
        case .mild: return ("mild" as SafeText).padded(to: width)
        case .moderate: return ("moderate" as SafeText).yellow.padded(to: width)
        case .severe: return ("severe" as SafeText).red.bold.padded(to: width)
        case nil: return ("unknown" as SafeText).dim.padded(to: width)
        }
    }
}

extension Grammar {
    /// The risk of a command, also of one without a secret argument; nil if it can't be parsed.
    func grade(of words: [String], user: String?) -> Grade? {
        do throws(UsageError) {
            guard case .run(let invocation) = try parse(words, user: user) else { return .read }
            return invocation.grade
        } catch {
            return error.missing == nil ? nil : error.command.flatMap { command(at: $0)?.grade }
        }
    }
}
