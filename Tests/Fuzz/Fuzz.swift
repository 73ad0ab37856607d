import Glibc

/// The parsers that the fuzzer can test, by name.
let subjects: [(name: String, read: @Sendable ([UInt8]) -> Void)] = [
    ("appfile", readAppFile), ("words", readWords), ("values", writeValues), ("archive", readArchive),
]

#if FUZZING
    /// The parser that this process tests; an environment variable names it, because the arguments belong to the
    /// fuzzer.
    private let subject = unsafe getenv("FUZZ").map { unsafe String(cString: $0) }

    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        guard let chosen = subjects.first(where: { $0.name == subject }) else {
            print("FUZZ is to be one of \(subjects.map(\.name))")
            exit(2)
        }
        unsafe chosen.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    }
#else
    /// Parses the files that the command line names, to repeat a finding.
    @main
    enum Fuzz {
        static func main() {
            let words = CommandLine.arguments.dropFirst()
            guard let subject = subjects.first(where: { $0.name == words.first }) else {
                print("fuzz \(subjects.map(\.name).joined(separator: "|")) FILE…")
                exit(2)
            }
            for path in words.dropFirst() {
                guard let bytes = contents(of: path) else {
                    print("\(path): cannot be read")
                    exit(1)
                }
                subject.read(bytes)
                print("\(path): \(bytes.count) bytes")
            }
        }

        private static func contents(of path: String) -> [UInt8]? {
            guard let stream = unsafe fopen(path, "rb") else { return nil }
            defer { unsafe fclose(stream) }
            var bytes: [UInt8] = []
            while case let byte = unsafe getc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
            return bytes
        }
    }
#endif
