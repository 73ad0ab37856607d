internal import Glibc

/// The home folder, as libpq finds it: HOME, else the user's entry in the system's database.
package enum HomeFolder {
    package static var path: String? {
        let variable = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? ""
        return variable.isEmpty
            ? unsafe getpwuid(geteuid()).map { unsafe String(cString: $0.pointee.pw_dir) } : variable
    }
}
