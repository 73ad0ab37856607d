import CommandLine
import Commands
import Operations
import PQ
import Terminal

/// Several commands that came at once: shown, graded, and run only when somebody says so.
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
    func isConfirmed(_ grammar: Grammar, user: String?, on screen: any Screen) -> Bool {
        var graver = 0
        for (index, command) in commands.enumerated() {
            let grade = grade(of: command, grammar, user: user)
            if grade != .read { graver += 1 }
            let number = SafeText("\(index + 1)").padded(to: 3, alignment: .right)
            screen.note(number + "  " + Self.label(grade) + "  " + SafeText(Secrets.masked(command)))
        }
        screen.flush()
        let changing: SafeText = graver == 0 ? "" : ", " + SafeText("\(graver)") + " not only reading"
        let question = "Run these " + SafeText("\(commands.count)") + " commands" + changing + "?"
        let answer = try? Ask.confirm(question, isInterrupted: { Cancellation.interrupt.isRequested })
        if answer != true { screen.note("Nothing was run.") }
        return answer == true
    }

    /// How much a command may break; nil when it is not understood.
    private func grade(of command: String, _ grammar: Grammar, user: String?) -> Grade? {
        guard let words = try? splitWords(command) else { return nil }
        if Script.isFarewell(command) { return .read }
        switch try? grammar.parse(words, user: user) {
        case .run(let invocation): return invocation.grade
        case .help, .version, .nothing: return .read
        case nil: return nil
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
