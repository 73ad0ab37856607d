internal import AppFile
package import Asking
internal import Glibc
internal import Inquiries
internal import PQ

/// A file that is said to be an archive, read only when it is one, whole and as it was written.
///
/// What it is shows in its beginning, its end and its checksum, for which no more than a piece of it is in memory at a time.
package struct ArchiveFile {
    package let bytes: [UInt8]
    /// The checksum that it ends with.
    package let seal: String

    /// Reads a file to its end.
    package init(_ path: String) throws(Failure) {
        // Whoever opens a FIFO to read waits for somebody who writes.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(code: errno).failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(code: errno).failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(ArchiveRefusal.noFile(path: path))
        }
        let noArchive = Failure(ArchiveRefusal.noArchive(path: path))
        let (head, size) = (Array(Self.head.utf8), Int(status.st_size))
        guard size > head.count + Self.ending("").count + 64 else { throw noArchive }
        let file = Pieces(descriptor: descriptor, path: path)
        guard try file.read(at: 0, head.count) == head else { throw noArchive }
        let sealed = size - Self.ending("").count - 64
        let ending = try file.read(at: sealed, size - sealed)
        let seal = String(decoding: ending.dropFirst(Self.opening.count).prefix(64), as: UTF8.self)
        guard ending == Self.ending(seal) else { throw noArchive }
        var digest = SHA256()
        try file.each(until: sealed) { digest.update($0) }
        guard digest.hexadecimal() == seal else {
            throw Failure(ArchiveRefusal.changed(path: path))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        try file.each(until: size) { bytes += $0 }
        (self.bytes, self.seal) = (bytes, seal)
    }

    /// What an archive begins with.
    package static var head: String { ArchiveWriter.head }

    private static let opening = Array(",\"sha256\":\"".utf8)

    /// What stands behind everything that a checksum is of.
    package static func ending(_ seal: String) -> [UInt8] { opening + Array("\(seal)\"}\n".utf8) }

    /// The bytes of an open file.
    private struct Pieces {
        let descriptor: Int32
        let path: String

        func read(at start: Int, _ count: Int) throws(Failure) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            while true {
                let read = unsafe pread(descriptor, &bytes, count, off_t(start))
                if read < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
                guard read >= 0 else { throw FileError(code: errno).failure(path) }
                return Array(bytes.prefix(read))
            }
        }

        func each(until end: Int, _ body: ([UInt8]) -> Void) throws(Failure) {
            var place = 0
            while place < end {
                let piece = try read(at: place, min(end - place, 1 << 20))
                if piece.isEmpty { return }
                body(piece)
                place += piece.count
            }
        }
    }
}
