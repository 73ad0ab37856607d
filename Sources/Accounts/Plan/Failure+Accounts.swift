import AppFile
import Asking
import Catalog
import Glibc
import PQ

/// Failures that several files of this module use.
extension Failure {
    init(unreadable tables: [String]) {
        self.init(
            .forbidden,
            "this command needs the whole account, but your role can't read \(tables.count.of("table")) of the account",
            code: "unreadable_tables",
            hint:
                "connect as a member of usher_eraser: `usher roles sql` prints the grants for this role. "
                + "Without an app file, grant select on the tables to your role", state: .insufficientPrivilege,
            details: tables.map { pasted($0) })
    }

    init(hidden tables: [String]) {
        self.init(
            .forbidden, "row security may hide rows of \(pasted(tables)) from this role",
            hint: "connect as a role with BYPASSRLS", state: .insufficientPrivilege)
    }

    /// A file that usher could not create, open, read or write.
    init(file path: String, _ deed: String, code: Int32) {
        self.init(
            .failed, "\(path) can't be \(deed): \(unsafe String(cString: strerror(code)))",
            hint: code == EEXIST ? "choose the name of a new file" : nil)
    }
}

extension ServerError {
    /// The detail and the context, for people.
    var lines: [String] { [detail, context].compactMap { $0 } }

    /// The kind of a failure after the server refused a statement of a deletion or a restore.
    func kind(unless other: Failure.Kind) -> Failure.Kind { state == .insufficientPrivilege ? .forbidden : other }
}
