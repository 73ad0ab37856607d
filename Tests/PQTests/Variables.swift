import Glibc

/// Sets a variable of this process; only for a process of the test's own, since libpq reads them all at any time.
func setVariable(_ name: String, _ value: String) { unsafe setenv(name, value, 1) }

/// Removes a variable of this process.
func unsetVariable(_ name: String) { unsafe unsetenv(name) }
