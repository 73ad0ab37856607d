import AppFile
import CommandLine

/// Finds commands of an app file that clash with usher's commands, and advice with commands that don't parse.
struct CommandCheck {
    let grammar: Grammar

    func findings(in app: App) -> [Diagnostic] {
        let verbs = AppVerbs.all(of: app)
        var places: Set<App.Place> = []
        let taken = verbs.filter { verb, place in
            grammar.command(at: verb.command.path) != nil && places.insert(place).inserted
        }.map { verb, place in
            Diagnostic("`\(verb.command.name)` is a command of usher, so the app file can't define it", at: place)
        }
        let whole = grammar.adding(nouns: AppVerbs.nouns(of: app), commands: verbs.map(\.verb.command))
        return taken + advice(in: app, grammar: whole)
    }

    private func advice(in app: App, grammar: Grammar) -> [Diagnostic] {
        app.decisions.flatMap(\.rules).flatMap { rule in
            (rule.details.advice + rule.reasons.flatMap(\.details.advice)).flatMap { advice in
                advice.commands.compactMap { pieces in
                    let command = Self.text(of: pieces)
                    guard let problem = problem(with: command, grammar) else { return nil }
                    let place = advice.place(of: "`") ?? rule.place
                    return Diagnostic(
                        "the command `\(command)` in this text doesn't work: \(problem.message)", at: place,
                        hint: problem.hint)
                }
            }
        }
    }

    /// The text of a command, with its facts in braces.
    private static func text(of pieces: [Sentence.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .fact(let name): "{\(name)}"
            case .command: ""
            }
        }.joined()
    }

    private func problem(with command: String, _ grammar: Grammar) -> UsageError? {
        do throws(UsageError) {
            _ = try grammar.parse(try splitWords(command)) { !Sentence($0).facts.isEmpty }
            return nil
        } catch {
            return error
        }
    }
}

extension Sentence {
    fileprivate var commands: [[Piece]] {
        pieces.compactMap { if case .command(let inner) = $0 { inner } else { nil } }
    }
}
