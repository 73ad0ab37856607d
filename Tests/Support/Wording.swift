package import AppFile
package import Asking
package import Changes
import Commands
package import Inquiries
import PQ

/// What operators are told, for tests that hold the engine to it.
extension Failure {
    package var message: String { words.message }
    package var hint: String? { words.hint }
    package var details: [String] { words.details }
}

extension Failure {
    /// Under which name a function of the schema `usher` refused it, nil where none did.
    package var named: String? { ofDatabase?.name.rawValue }

    /// A fact of that refusal, and whether one is so.
    package func fact(_ name: String) -> String? { ofDatabase?[name] }
    package func holds(_ fact: String) -> Bool? { ofDatabase?.holds(fact) }

    private var ofDatabase: DatabaseRefusal? {
        switch refusal {
        case ChangeRefusal.blocked(let cause, _): cause.ofDatabase
        case AskingRefusal.wire(.server(let error)): DatabaseRefusal(error)
        case ChangeRefusal.objected(let error?, _): DatabaseRefusal(error)
        default: nil
        }
    }

    /// A failure that a test brings about.
    package init(_ kind: Kind, _ complaint: String) { self.init(kind, complaint, hint: nil) }
}

extension SubjectRemark {
    package var sentence: FilledSentence { Wording().sentence(of: self) }
}

extension AppTest.Problem {
    package var told: String { sentence }
}

extension AppDraft.Sentences {
    package static var told: AppDraft.Sentences { english }
}

extension AppFinding {
    package var told: Diagnostic { diagnostic }
    package var message: String { diagnostic.message }
    package var hint: String? { diagnostic.hint }
    package var report: [String] { diagnostic.report }
}

extension Unreadable {
    package var told: String { sentence }
}

extension InquiryOptions {
    /// Options under which the ledger is told what operators are.
    package static var telling: InquiryOptions {
        var options = InquiryOptions()
        options.worded = { failure in (failure.message, failure.hint) }
        return options
    }
}
