package import Glibc

/// Starts a program with the variables of this process; nil if that fails.
///
/// The program gets the given descriptors as 0, 1 and 2, and inherits the others. Ctrl-C doesn't reach a program in its
/// own process group.
package func startProcess(
    _ path: String, _ words: [String], descriptors: [Int32], hasOwnGroup: Bool = false
) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    if hasOwnGroup { unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
    var arguments = unsafe words.map { (word: String) in unsafe strdup(word) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    return unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, environ) == 0 ? process : nil
}
