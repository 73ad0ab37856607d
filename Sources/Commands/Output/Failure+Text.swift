package import Asking
package import Terminal

extension Failure {
    package func message(in zone: Zone?) -> String {
        complaint.message(in: zone) + (remainder ?? "")
    }

    package func details(in zone: Zone?) -> [String] { detailSentences.map { $0.message(in: zone) } }
}
