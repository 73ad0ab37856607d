package import Asking
package import Terminal

extension Failure {
    /// The whole message, with times in a zone, or for programs.
    package func message(in zone: Zone?) -> String {
        complaint.message(in: zone) + (remainder ?? "")
    }

    /// The details of the failure, one per line.
    package func details(in zone: Zone?) -> [String] { detailSentences.map { $0.message(in: zone) } }
}
