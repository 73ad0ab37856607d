package import AppFile
package import Asking
package import PQ

extension Inquiry {
    /// The key and an email of the user that a text names.
    package static func person(
        _ text: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> (key: String, address: String?) {
        let (inquiry, user, _) = try open(for: text, on: connection, candidates: candidates, options: options)
        return (user.key, user.emails(in: inquiry.app).first)
    }
}
