import Glibc

/// The value of an environment variable; nil if the variable is not set.
package func environmentVariable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}
