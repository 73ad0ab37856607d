package import AppFile
package import Asking
internal import Inquiries
package import PQ

extension Inquiry {
    /// The user that is named after a test state: the one whose address is `STATE@…` or `…+STATE@…`.
    package static func testUser(
        for state: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> String {
        let inquiry = try open(on: connection, candidates: candidates, options: options)
        try inquiry.requireWholeDirectory()
        let answer = try inquiry.read(
            [inquiry.app.usersNamed(after: state, bindings: inquiry.bindings)], isLast: true)[0]
        switch answer.reading {
        case .success(let rows):
            let keys = try decoding(try rows.texts())
            if keys.count == 1 { return keys[0] }
            throw Failure(
                keys.isEmpty ? .notFound : .conflict,
                keys.isEmpty ? "no test user has its name" : "\(keys.count) test users have its name",
                hint: "exactly one user needs the email \(state)@… or …+\(state)@…")
        case .failure(let unreadable): throw unreadable.failure
        }
    }
}
