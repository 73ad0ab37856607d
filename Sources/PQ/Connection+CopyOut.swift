internal import CPQ

extension Connection {
    /// Runs a `COPY … TO STDOUT` and hands on its bytes as they arrive.
    ///
    /// The corresponding C function is `PQgetCopyData`.
    package func copyOut(
        _ sql: String, timeout: Double? = nil, each receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PQError) {
        try check(Query(unsafe: sql))
        let exchange = Exchange(on: self, timeout: timeout)
        defer { exchange.settle() }
        try send(Query(unsafe: sql))
        try exchange.flush()
        var failure: PQError?
        while let result = try exchange.next() {
            switch result.status {
            case PGRES_COPY_OUT: try unsafe receiveCopy(exchange, receive)
            case PGRES_COMMAND_OK: break
            case PGRES_FATAL_ERROR: failure = .server(result.error)
            default:
                failure = .misuse("the statement is no COPY … TO STDOUT")
                // Nobody has the rows of a COPY … FROM STDIN: libpq would ask for them for ever.
                if let failure, result.isCopy { throw failure }
            }
        }
        try exchange.finish()
        if let failure { throw failure }
    }

    private func receiveCopy(
        _ exchange: Exchange, _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(PQError) {
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &buffer, 1)
            switch count {
            case 0: try exchange.awaitInput()
            case ..<0: return
            default:
                if !exchange.isStopping { unsafe receive(UnsafeRawBufferPointer(start: buffer, count: Int(count))) }
                unsafe PQfreemem(buffer)
            }
        }
    }
}
