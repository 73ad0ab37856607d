package import Catalog

extension Environment {
    /// Throws if the operator gives no reason for a change, a request or a deletion in production.
    package func requireReason(_ isGiven: Bool, for deed: String = "change") throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(
            .refused,
            "a \(deed) in production needs a reason"
                + (doubt.map { ", and this database counts as production, because \($0)" } ?? ""),
            code: Failure.noReason, hint: "add `--reason TEXT`, and `--ticket ID` if there is a ticket")
    }
}

extension Failure {
    package static let noReason = "no_reason"
}
