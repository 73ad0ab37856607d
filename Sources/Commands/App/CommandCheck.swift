import AppFile
import Asking
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
                // Without values, the facts of a command are its holes, which are written in braces.
                FilledSentence(advice, with: { _ in nil }).pieces.compactMap { piece in
                    guard case .command(let inner) = piece else { return nil }
                    let command = FilledSentence.command(inner)
                    guard let problem = problem(with: command, grammar) else { return nil }
                    let place = advice.place(of: "`") ?? rule.place
                    return Diagnostic(
                        "the command `\(command)` in this text doesn't work: \(problem.message)", at: place,
                        hint: problem.hint)
                }
            }
        }
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
