package import Catalog

extension Environment {
    /// In production somebody has to say why.
    package func requireReason(_ isGiven: Bool, for deed: ReasonedDeed = .change) throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(AskingRefusal.needsReason(deed, doubt: doubt))
    }
}
