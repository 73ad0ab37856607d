package import Catalog
import PQ

extension Environment.Doubt {
    /// The reason why the environment is in doubt, as a part of a sentence.
    package var sentence: String {
        switch self {
        case .undeclared: "the database has no declared environment"
        case .unreadable(let error): "usher can't read the environment of this database: \(error.message)"
        case .garbled(let failure): "usher can't read the environment of this database: \(failure)"
        case .noTable: "usher.environment is not a table"
        case .foreignSchema: "the schema usher belongs to neither the database's owner nor a superuser"
        case .severalDeclared: "the database declares more than one environment"
        case .ofAnotherDatabase: "the database is a copy, and its environment was declared for the original"
        case .unknownName(let name): "\(name) is not an environment"
        }
    }
}

extension Environment {
    /// Throws if the operator gives no reason for a change, a request or a deletion in production.
    package func requireReason(_ isGiven: Bool, for deed: String = "change") throws(Failure) {
        guard name == "production", !isGiven else { return }
        throw Failure(
            .refused,
            "a \(deed) in production needs a reason"
                + (doubt.map { ", and this database counts as production, because \($0.sentence)" } ?? ""),
            want: .reason, hint: "add `--reason TEXT`, and `--ticket ID` if there is a ticket")
    }
}
