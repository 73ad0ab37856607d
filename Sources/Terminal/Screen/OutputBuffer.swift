import Glibc

/// Output bytes, collected before they are written to a descriptor.
struct OutputBuffer {
    /// The size of a pipe on Linux.
    private static let capacity = 64 * 1024

    private(set) var state: OutputState = .open
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    mutating func append(_ text: String) {
        append(text.utf8.span)
    }

    mutating func append(_ span: borrowing Span<UInt8>) {
        guard state == .open else {
            return
        }
        bytes.append(span)
        if bytes.count >= Self.capacity {
            flush()
        }
    }

    /// Writes the buffered bytes.
    mutating func flush() {
        guard !bytes.isEmpty, state == .open else {
            return
        }
        let code = unsafe bytes.withUnsafeBytes { unsafe Self.write($0, to: descriptor) }
        bytes.removeAll(keepingCapacity: true)
        switch code {
        case 0: break
        case EPIPE: state = .closed
        default: state = .failed(reason: unsafe String(cString: strerror(code)))
        }
    }

    /// Writes all bytes; returns 0 or the error number.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
            if count > 0 {
                sent += count
                continue
            }
            switch count == 0 ? EIO : errno {
            case EINTR:
                continue
            case EAGAIN:
                // Another process may have made the shared terminal non-blocking, so wait until it accepts bytes.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&ready, 1, -1)
            case let code:
                return code
            }
        }
        return 0
    }
}
