package import AppFile
import Commands
package import Inquiries
import PQ

/// What operators are told, for tests that hold the engine to it.
extension AppFinding {
    package var told: Diagnostic { diagnostic }
    package var message: String { diagnostic.message }
    package var hint: String? { diagnostic.hint }
    package var report: [String] { diagnostic.report }
}

extension Unreadable {
    package var told: String { sentence }
}
