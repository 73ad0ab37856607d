import Glibc

extension Files {
    /// Removes a folder with all it holds; true when nothing of that name is left.
    ///
    /// Goes by descriptors and never through a link, since root does this in a folder of another user.
    @discardableResult
    static func removeTree(_ folder: String) -> Bool {
        // A process that is just ending may still add a file behind our back.
        for _ in 0..<20 {
            let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor >= 0 { empty(descriptor) }
            if unsafe rmdir(folder) == 0 || errno == ENOENT { return true }
            usleep(20_000)
        }
        return false
    }

    /// Empties an open folder and closes it.
    private static func empty(_ descriptor: Int32) {
        // The listing closes the descriptor it is given; this one is still needed to unlink by.
        let listing = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { close(descriptor) }
        guard listing >= 0 else { return }
        for entry in entries(of: listing) {
            let name = entry + [0]
            if unsafe unlinkat(descriptor, name, 0) == 0 { continue }
            let child = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if child >= 0 { empty(child) }
            _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
        }
    }
}
