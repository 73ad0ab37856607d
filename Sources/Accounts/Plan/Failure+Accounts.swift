import AppFile
import Asking
import Catalog
import Glibc
import PQ

/// Failures that several files of this module use.
extension Failure {
    /// Tables of an account that this role can't read.
    init(unreadable tables: [String]) {
        self.init(
            .forbidden,
            "this command needs the whole account, but your role can't read \(tables.count.of("table")) of it",
            code: "unreadable_tables",
            hint:
                "the role usher_eraser can: `usher roles sql` prints its grants; without an app file, grant select on "
                + "the tables to it", state: .insufficientPrivilege, details: tables.map { pasted($0) })
    }

    /// Tables of an account whose rows row security may hide.
    init(hidden tables: [String]) {
        self.init(
            .forbidden, "row security may hide rows of \(pasted(tables)) from this role",
            hint: "connect as a role with BYPASSRLS, or as the owner of the tables", state: .insufficientPrivilege)
    }

    /// A file that could not be made, opened, read or written.
    init(file path: String, _ deed: String, code: Int32) {
        self.init(
            .failed, "\(path) can't be \(deed): \(unsafe String(cString: strerror(code)))",
            hint: code == EEXIST ? "choose the name of a new file" : nil)
    }
}

extension ServerError {
    /// The detail and the context, for people.
    var lines: [String] { [detail, context].compactMap { $0 } }

    /// The kind of a failure because a statement of a deletion or restoration was refused.
    func kind(unless other: Failure.Kind) -> Failure.Kind { state == .insufficientPrivilege ? .forbidden : other }
}
