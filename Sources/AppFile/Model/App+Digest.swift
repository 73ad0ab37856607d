extension App {
    /// What tells one version of it from another: of its file and of what that includes, wherever they lie.
    ///
    /// It is the same for all schemas that a file is read for. Of a file without includes it is what `sha256sum` says. No text holds the byte that stands between two.
    package var digest: String {
        var digest = SHA256()
        for (index, file) in files.enumerated() { digest.update((index == 0 ? [] : [0]) + file.asWritten.bytes) }
        return digest.hexadecimal()
    }

    /// As much of the digest as people compare.
    package var shortDigest: String { String(digest.prefix(12)) }
}
