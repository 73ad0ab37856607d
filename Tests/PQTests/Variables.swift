import Glibc

/// Sets a variable of this process; only for tests in a separate process, because libpq may read variables at any time.
func setVariable(_ name: String, _ value: String) { unsafe setenv(name, value, 1) }

func unsetVariable(_ name: String) { unsafe unsetenv(name) }
