import Foundation
import Support

/// A socket where a server should be.
final class FakeServer {
    enum Manner {
        /// Lets everybody in and says nothing.
        case silent
        /// Closes the door at once.
        case closing
    }

    private let scratch = try? Scratch()
    private let descriptor: Int32

    /// Listens at once.
    init(_ manner: Manner) throws {
        guard let scratch else { throw CocoaError(.fileWriteUnknown) }
        let path = scratch.folder.appendingPathComponent(".s.PGSQL.5432").path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        descriptor = listener
        if manner == .closing {
            Thread.detachNewThread {
                while true {
                    let caller = accept(listener, nil, nil)
                    guard caller >= 0 else { return }
                    close(caller)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    var conninfo: String { "host=\(scratch?.folder.path ?? "") port=5432 dbname=x user=x" }
}
