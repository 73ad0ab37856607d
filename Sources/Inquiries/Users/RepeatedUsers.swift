internal import AppFile
internal import Asking
internal import PQ

/// Checks that each user has only one row; otherwise, counts of users would be wrong.
extension Inquiry {
    func requireOnce(_ keys: some Sequence<String>) throws(Failure) {
        var seen: Set<String> = []
        for key in keys where !seen.insert(key).inserted { throw Failure(repeatedUser: key) }
    }

    /// Reads the keys of all users, and throws if a user has two rows.
    func requireEveryUserOnce() throws(Failure) {
        try reopen(timeout: options.patientTimeout)
        let repeated = try read([app.queries().repeatedKey], isLast: false)[0].get().first
        if let key = repeated?.values.first?.text { throw Failure(repeatedUser: key) }
    }
}
