package import Asking
package import Changes
import AppFile
import PQ

extension ChangeRefusal: Worded {
    package func words(_ wording: Wording) -> Words {
        switch self {
        case .noAction(let app, let noun, let verb): Words("\(app) has no \(noun) \(verb)")
        case .noState(let app, let name, let known):
            Words("\(app) has no test state \(name)", hint: Self.oneOf(known))
        case .unbound(let command, let findings):
            Words("`\(command)` would change more than the named users", details: findings.flatMap(\.report))
        case .takesNothing(let text): Words("this takes no \(text)")
        case .noUsers(let names, let strangers):
            Words("none of the \(names) names belongs to a user", details: strangers.map(\.sentence.plain))
        case .strangers(let strangers):
            Words(
                strangers.first?.sentence.plain ?? "", details: strangers.dropFirst().map(\.sentence.plain))
        case .nobody: Words("no users to change")
        case .notConcerned(let key): Words("the operation did not change the user \(key)")
        case .exceptOfMany:
            Words(
                "--except works for one change, and this was a bulk change",
                hint: "an undo of a bulk change leaves out rows that have changed since")
        case .listedTwice(let app, let key):
            Words(
                "\(app) lists \(key) more than once",
                hint: "the select of the app file must have one row for each")
        case .notOneTestUser(let state, let count):
            Words(
                count == 0 ? "no test user has its name" : "\(count) test users have its name",
                hint: "exactly one user needs the email \(state)@… or …+\(state)@…")
        case .noColumn(let settings, let name, let known):
            Words("\(settings) has no column \(name)", hint: Self.oneOf(known))
        case .notAmong(let name, let value, let choices):
            Words("\(name) must be one of \(choices.joined(separator: ", ")), not `\(value)`")
        case .outOfRange(let name, let value, let range):
            Words(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not `\(value)`")
        case .noKey(let settings, let column, let key, let known):
            Words("\(settings) has no \(column) \(key)", hint: "there is \(known.joined(separator: ", "))")
        case .changedSincePlan:
            Words("the data changed since the plan", hint: "check the new plan and decide again")
        case .noAnswer: Words("the server did not answer")
        case .objected(let error?, let step): Self.objection(error, step)
        case .objected(nil, _): Words("the server refused it")
        case .refused(let remarks): Self.refusal(remarks, wording)
        case .unconfirmed(let cause, let confirmation):
            cause.words(wording).advising("add --confirm \(confirmation)")
        case .blocked(let cause, let owners):
            cause.serverError.flatMap { DatabaseRefusal($0) }?.words(of: owners) ?? cause.words(wording)
        case .stopped(let cause, let operation, let handled, let total):
            cause.words(wording).advising("the same command with --resume \(operation) continues it")
                .adding(["\(handled) of \(total) are done, and stay done"])
        case .noOwner: Words("the server does not report the owner of this database")
        case .foreignSchema(let owner):
            Words(
                "the schema usher belongs to \(owner), who is not the owner of the database",
                hint: "ask a superuser to drop it or to change its owner")
        case .mayNotInstall(let owner, let login):
            Words(
                "only \(owner) can install here, and \(login) is not a member of that role",
                hint: "connect as \(owner), or send the output of `usher install --sql` to somebody who can")
        case .markedProduction:
            Words(
                "the database was marked as production in the meantime",
                hint: "check the environment, and run the command again")
        }
    }

    private static func oneOf(_ known: [String]) -> String { "one of \(known.joined(separator: ", "))" }

    /// What the server objected to, with the statement that it refused.
    private static func objection(_ error: ServerError, _ step: String?) -> Words {
        if let refusal = DatabaseRefusal(error) { return refusal.words }
        let hint = Words.hint(for: error)
        var details: [String] = []
        if let detail = error.detail { details.append(detail) }
        if let step, !step.isEmpty { details.append("while: \(step)") }
        return Words(error.message, hint: hint, details: details)
    }

    private static func refusal(_ remarks: [SubjectRemark], _ wording: Wording) -> Words {
        guard let first = remarks.first else { return Words("nothing is left to do") }
        if remarks.count == 1 { return Words(wording.told(first.sentence)) }
        return Words("all \(remarks.count) were refused", details: remarks.map(wording.told))
    }
}

extension Wording {
    /// What is said of a subject.
    package func sentence(of remark: SubjectRemark) -> FilledSentence { remark.sentence }
}

extension SubjectRemark {
    /// What is said of the subject.
    var sentence: FilledSentence {
        switch content {
        case .sentence(let sentence): sentence
        case .server(let text): FilledSentence(text: text)
        case .promise(let promise):
            FilledSentence(text: promise?.sentence ?? "the result is not the expected one")
        case .noUser(let name): FilledSentence(text: "there is no user \(name)")
        case .severalUsers(let name, let count): FilledSentence(text: "\(count) users have the email \(name)")
        case .failure(let failure): FilledSentence(text: failure.words.message)
        case .unlike(let unlike, let table): FilledSentence(text: unlike.sentence(of: table))
        case .left(let left): FilledSentence(text: left.sentence)
        case .unnamed: FilledSentence(text: "refused")
        }
    }
}

extension BrokenPromise {
    fileprivate var sentence: String {
        let promised = "expected \(decision) to be \(outcomes.joined(separator: " or "))"
        return switch end {
        case .unavailable(let reason): "\(promised), but it can't be evaluated: \(reason)"
        case .unanswered: "\(promised), but it has no answer"
        case .outcome(let outcome): "\(promised), but it would be \(outcome ?? "nothing")"
        }
    }
}
