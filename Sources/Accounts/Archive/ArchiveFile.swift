internal import AppFile
package import Asking
internal import Catalog
internal import Glibc
internal import PQ

/// A file that may be an archive; usher reads it block by block.
///
/// The first line, the last line and the checksum show whether the archive is complete and unchanged.
package final class ArchiveFile {
    let path: String
    package let seal: String
    private let descriptor: Int32
    private let sealed: Int

    static let version = 5
    package static let head = #"{"archive":\#(version),"#

    private static let opening = Array(",\"sha256\":\"".utf8)

    package static func ending(_ seal: String) -> [UInt8] { opening + Array("\(seal)\"}\n".utf8) }

    private static let longestLine = 1 << 30

    static let original = "use the unchanged file that `usher account delete --archive FILE` wrote"

    package init(_ path: String) throws(Failure) {
        self.path = path
        // Opening a FIFO would wait for a writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(code: errno).failure(path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(code: errno).failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .usage, "\(path) is not a regular file, so it is not an archive",
                hint: Self.original)
        }
        let head = Array(Self.head.utf8)
        sealed = Int(status.st_size) - Self.ending("").count - 64
        guard sealed > head.count, try Self.read(head.count, of: path, descriptor, at: 0) == head else {
            throw Failure(noArchive: path)
        }
        let ending = try Self.read(Self.ending("").count + 64, of: path, descriptor, at: sealed)
        seal = String(decoding: ending.dropFirst(Self.opening.count).prefix(64), as: UTF8.self)
        guard ending == Self.ending(seal) else { throw Failure(noArchive: path) }
    }

    deinit { close(descriptor) }

    /// Passes each line to `receive`; then refuses the file if its checksum differs.
    package func read(_ receive: (String) throws(Failure) -> Void) throws(Failure) {
        var digest = SHA256()
        var line: [UInt8] = []
        var place = 0
        while place < sealed {
            let block = try Self.read(min(sealed - place, 1 << 20), of: path, descriptor, at: place)
            if block.isEmpty { break }
            place += block.count
            digest.update(block)
            var rest = block[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                try receive(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= Self.longestLine else { throw Failure(noArchive: path) }
        }
        guard digest.hexadecimal() == seal else {
            throw Failure(
                .refused, "\(path) was changed after it was written: its checksum differs", nothing: .restored,
                hint: Self.original)
        }
        try receive(String(decoding: line + Self.ending(seal).dropLast(), as: UTF8.self))
    }

    private static func read(_ count: Int, of path: String, _ descriptor: Int32, at start: Int) throws(Failure)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &bytes, count, off_t(start))
            if read < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
            guard read >= 0 else { throw FileError(code: errno).failure(path) }
            return Array(bytes.prefix(read))
        }
    }
}
