import AppFile
import Commands
package import Inquiries
import PQ

/// The messages that operators read, for tests of the engine.
extension AppFinding {
    package var message: String { diagnostic.message }
    package var hint: String? { diagnostic.hint }
    package var report: [String] { diagnostic.report }
}
