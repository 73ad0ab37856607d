import Accounts
import AppFile
import Asking
import Glibc

/// Reads bytes as an archive, unchanged and with the right beginning and checksum.
func readArchive(_ bytes: [UInt8]) {
    readFile(bytes)
    let body = Array(ArchiveFile.head.utf8) + bytes
    var digest = SHA256()
    digest.update(body)
    readFile(body + ArchiveFile.ending(digest.hexadecimal()))
}

private func readFile(_ bytes: [UInt8]) {
    guard let stream = unsafe tmpfile() else { preconditionFailure("can't create a temporary file") }
    defer { unsafe fclose(stream) }
    let descriptor = unsafe fileno(stream)
    let written = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    precondition(written == bytes.count, "the file is incomplete")
    var lines: [String] = []
    guard let file = try? ArchiveFile("/proc/self/fd/\(descriptor)"),
        (try? file.read { line throws(Failure) in lines.append(line) }) != nil
    else { return }
    let text = lines.joined(separator: "\n") + "\n"
    precondition(text == String(decoding: bytes, as: UTF8.self) && file.seal.utf8.count == 64, "the bytes differ")
}
