extension App {
    /// The digest of the app file and its includes, independent of their paths.
    ///
    /// It identifies a version.
    ///
    /// It is the same for all schemas of a file. Without includes it equals the output of `sha256sum`. Texts can't
    /// contain the separator byte.
    package var digest: String {
        var digest = SHA256()
        for (index, file) in files.enumerated() { digest.update((index == 0 ? [] : [0]) + file.asWritten.bytes) }
        return digest.hexadecimal()
    }

    /// The first characters of the digest, as people compare them.
    package var shortDigest: String { String(digest.prefix(12)) }
}
