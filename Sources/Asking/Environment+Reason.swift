import Catalog

extension Environment {
    /// Refuses a change, a request or a deletion in production that has no reason.
    package func requireReason(_ isGiven: Bool, for deed: String = "change") throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(
            .refused,
            "a \(deed) in production needs a reason"
                + (doubt.map { ", and this database counts as production, because \($0.sentence)" } ?? ""),
            want: .reason, hint: "add --reason TEXT, and --ticket ID if there is one")
    }
}
