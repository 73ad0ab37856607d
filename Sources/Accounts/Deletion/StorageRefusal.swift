package import Asking

/// Why a store of files is not asked, or does not do it.
package enum StorageRefusal: Asking.Refusal {
    case noKeyFile
    case noKey(path: String)
    case noHTTP
    case noHost
    case answered(status: Int?, bucket: String)
    case unknownHost(String)
    case notListening
    case noAnswer(seconds: Int)
    case unreachable(code: Int32)

    package var kind: Failure.Kind {
        switch self {
        case .noKeyFile, .noKey, .noHTTP, .noHost: .usage
        case .answered: .failed
        case .unknownHost, .notListening, .noAnswer, .unreachable: .connection
        }
    }
}
