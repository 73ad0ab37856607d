package import AppFile
import Commands
package import Inquiries
import PQ

/// The messages that operators read, for tests of the engine.
extension AppFinding {
    package var told: Diagnostic { diagnostic }
    package var message: String { diagnostic.message }
    package var hint: String? { diagnostic.hint }
    package var report: [String] { diagnostic.report }
}

extension Unreadable {
    package var told: String { sentence }
}
