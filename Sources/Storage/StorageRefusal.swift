package import Asking

/// Why a store of files is not asked, or does not do it.
package enum StorageRefusal: Asking.Refusal {
    case noKeyFile
    case noKey(path: String)
    /// The service key would leave this machine without TLS.
    case notLoopback
    case noPort(String)
    case answered(status: Int?, bucket: String)
    case notListening
    case noAnswer(seconds: Int)
    case unreachable(code: Int32)

    package var kind: Failure.Kind {
        switch self {
        case .noKeyFile, .noKey, .notLoopback, .noPort: .usage
        case .answered: .failed
        case .notListening, .noAnswer, .unreachable: .connection
        }
    }
}
