package import Catalog

extension Environment {
    /// In production somebody has to say why.
    package func requireReason(_ isGiven: Bool, for what: String = "a change") throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(
            .refused, "\(what) in production needs a reason" + (doubt.map { ", and here \($0)" } ?? ""),
            want: .reason, hint: "add --reason TEXT, and --ticket ID if there is one")
    }
}
