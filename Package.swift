// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Linker options that make the relocation tables read-only while the program runs.
let hardened: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])
]

/// Links the C++ library of Swift's runtime statically if the runtime is static, too; see `Sources/usher/link`.
let whole: [LinkerSetting] = [.unsafeFlags(["-L", "\(Context.packageDirectory)/Sources/usher/link"])]

/// A module of usher, called a room in CONTRIBUTING.md; a room imports only rooms above it in this file.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A C module; `CPQ` and `CReadline` open their library at run time, so usher doesn't link it.
func clibrary(_ name: String) -> Target {
    .target(
        name: name,
        cSettings: [
            .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
            .unsafeFlags(["-fstack-protector-strong"]),
        ])
}

/// Compiles each test module as a whole if the variable `USHER_WHOLE_MODULES` is set, as in `.ci/run`.
///
/// A clean build is then faster, because Swift expands each macro only once. But after a change of one file, Swift compiles
/// the whole module again.
let testSettings: [SwiftSetting] =
    Context.environment["USHER_WHOLE_MODULES"] == nil
    ? strict
    : strict + [.unsafeFlags(["-whole-module-optimization", "-no-emit-module-separately-wmo", "-num-threads", "2"])]

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["Support"], swiftSettings: testSettings)
}

/// The modules that do the work of a command, without the command line and the screen.
let engine: [Target.Dependency] = [
    "Grants", "Accounts", "Storage", "Changes", "Inquiries", "Acts", "Ledger", "Asking", "AppFile", "Catalog", "PQ",
]

let package = Package(
    name: "usher",
    products: [.executable(name: "usher", targets: ["usher"])],
    targets: [
        clibrary("CPQ"),
        clibrary("CReadline"),
        clibrary("CEmbeddedSQL"),
        clibrary("CRuntime"),
        room("EmbeddedSQL", ["CEmbeddedSQL"]),
        room("PQ", ["CPQ"]),
        room("Catalog", ["PQ", "EmbeddedSQL"]),
        // Tests parse many app files. Optimising this module makes these tests twice as fast in a debug build. With more
        // batches of files than cores, no core waits for the slowest batch.
        .target(
            name: "AppFile",
            swiftSettings: strict + [.unsafeFlags(["-O", "-driver-batch-count", "8"], .when(configuration: .debug))]),
        room("Terminal"),
        room("Asking", ["PQ", "Catalog", "AppFile"]),
        room("Ledger", ["Terminal", "Asking", "PQ", "Catalog", "EmbeddedSQL"]),
        room("Acts", ["Ledger", "Asking", "PQ", "Catalog", "AppFile"]),
        room("Inquiries", ["Ledger", "Asking", "PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        // `Changes` (actions) and `Accounts` (deletions) don't import each other.
        room(
            "Changes",
            ["Acts", "Inquiries", "Ledger", "Terminal", "Asking", "PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        // The client of a platform's storage API, for the files of users.
        room("Storage", ["Ledger", "Terminal", "Asking"]),
        room(
            "Accounts",
            [
                "Storage", "Acts", "Inquiries", "Ledger", "Terminal", "Asking", "PQ", "Catalog", "AppFile",
                "EmbeddedSQL",
            ]),
        room("Grants", ["Accounts", "Inquiries", "Ledger", "Asking", "PQ", "Catalog", "AppFile"]),
        room("CommandLine", ["AppFile", "Terminal"]),
        room("LocalCluster"),
        room("Commands", engine + ["Terminal", "CommandLine", "EmbeddedSQL", "LocalCluster"]),
        room("Console", engine + ["Commands", "CommandLine", "Terminal", "CReadline"]),
        .executableTarget(
            name: "usher",
            dependencies: ["Console", "Commands", "CommandLine", "Terminal", "PQ", "CRuntime"],
            exclude: ["link"], swiftSettings: strict, linkerSettings: hardened + whole),

        .target(
            name: "Support", dependencies: engine + ["CommandLine", "Commands", "LocalCluster"], path: "Tests/Support",
            swiftSettings: strict),
        // A program for tests that keeps a Postgres cluster running until a test kills the program.
        .executableTarget(
            name: "cluster-holder", dependencies: ["LocalCluster"], path: "Tests/ClusterHolder", swiftSettings: strict),
        // Passes files to the parsers; a build with a fuzzer searches for input that crashes a parser.
        .executableTarget(
            name: "fuzz", dependencies: engine + ["Commands", "CommandLine", "Terminal"], path: "Tests/Fuzz",
            swiftSettings: strict),
        tests("LocalClusterTests", ["LocalCluster", "cluster-holder"]),
        tests("PQTests", ["LocalCluster", "PQ"]),
        tests("AppFileTests", ["AppFile", "EmbeddedSQL", "PQ"]),
        tests("CommandLineTests", ["CommandLine", "AppFile"]),
        tests("TerminalTests", ["Terminal"]),
        tests("EngineTests", engine + ["LocalCluster"]),
        tests("CommandsTests", engine + ["Commands", "CommandLine", "EmbeddedSQL"]),
        tests("CLITests", engine + ["usher", "Commands", "CommandLine", "Terminal", "EmbeddedSQL", "LocalCluster"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)
