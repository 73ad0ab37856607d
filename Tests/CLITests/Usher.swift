import Foundation
import Support

/// The built program, run as a user runs it.
enum Usher {
    /// The program beside the test bundle.
    static let path: String = {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let arguments = ProcessInfo.processInfo.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let candidates = ([bundle] + arguments).map { $0.appendingPathComponent("usher").path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "usher"
    }()

    /// Variables of the machine that would change what is tested.
    private static let cleared: [String: String?] = [
        "PGHOST": nil, "PGDATABASE": nil, "PGUSER": nil, "PGSERVICE": nil, "PGPASSWORD": nil, "USHER_APP": nil,
        "NO_COLOR": nil, "CLICOLOR_FORCE": nil, "LC_ALL": "C.UTF-8",
    ]

    static func run(
        _ words: [String], on database: String? = nil, environment: [String: String?] = [:], input: String? = nil
    ) throws -> Subprocess.Result {
        let target = database.map { ["-d", $0] } ?? []
        return try Subprocess.run(
            path, target + words, environment: cleared.merging(environment) { $1 }, input: input)
    }
}
