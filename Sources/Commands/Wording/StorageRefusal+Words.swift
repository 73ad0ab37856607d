import Asking
import Glibc
package import Storage

extension StorageRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .noKeyFile:
            Words(
                "USHER_STORAGE_URL is set and USHER_STORAGE_KEY_FILE is not",
                hint:
                    "put the service key into a file that only you can read, and set USHER_STORAGE_KEY_FILE to its path"
            )
        case .noKey(let path): Words("\(path) contains no key")
        case .notLoopback:
            Words(
                "USHER_STORAGE_URL must be http:// and a loopback address (127.0.0.1, [::1] or localhost), "
                    + "because usher has no TLS and would send the service key in the clear",
                hint: "run a TLS proxy to the store on this machine, such as stunnel, and use its address")
        case .noPort(let port): Words("USHER_STORAGE_URL has no port \(port.isEmpty ? "behind the colon" : port)")
        case .answered(let status, let bucket):
            Words("the storage API answered \(status.map(String.init) ?? "nothing") for \(bucket)")
        case .notListening: Self.unreachable("it stopped listening")
        case .noAnswer(let seconds): Self.unreachable("no answer within \(seconds) s")
        case .unreachable(let code): Self.unreachable(unsafe String(cString: strerror(code)))
        }
    }

    private static func unreachable(_ why: String) -> Words {
        Words("the storage API cannot be reached: \(why)")
    }
}
