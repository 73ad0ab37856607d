package import Accounts
import Asking
import Glibc

extension StorageRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .noKeyFile:
            Words(
                "USHER_STORAGE_URL is set and USHER_STORAGE_KEY_FILE is not",
                hint: "put the service key into a file that only you can read, and name it there")
        case .noKey(let path): Words("\(path) holds no key")
        case .noHTTP:
            Words(
                "USHER_STORAGE_URL must begin with http://",
                hint: "this program speaks no TLS: run a local proxy to the store, such as stunnel, and name that")
        case .noHost: Words("USHER_STORAGE_URL names no host")
        case .answered(let status, let bucket):
            Words("the storage API answered \(status.map(String.init) ?? "nothing") for \(bucket)")
        case .unknownHost(let host): Self.unreachable("\(host) is no host")
        case .notListening: Self.unreachable("it stopped listening")
        case .noAnswer(let seconds): Self.unreachable("no answer within \(seconds) s")
        case .unreachable(let code): Self.unreachable(unsafe String(cString: strerror(code)))
        }
    }

    private static func unreachable(_ why: String) -> Words {
        Words("the storage API cannot be reached: \(why)")
    }
}
