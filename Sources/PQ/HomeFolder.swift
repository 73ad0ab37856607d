internal import Glibc

package enum HomeFolder {
    package static var path: String? {
        let variable = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? ""
        return variable.isEmpty
            ? unsafe getpwuid(geteuid()).map { unsafe String(cString: $0.pointee.pw_dir) } : variable
    }
}
