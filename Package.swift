// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Nothing that is called through can be written to once the program runs.
let hardened: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])
]

/// The C++ library of Swift's runtime comes along, where that does.
let whole: [LinkerSetting] = [.unsafeFlags(["-L", "\(Context.packageDirectory)/Sources/usher/link"])]

/// A room of the house: what it may import is what it lists, and arrows point only upwards in this file.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// C as it is; what it opens at run time it does not link.
func clibrary(_ name: String) -> Target {
    .target(
        name: name,
        cSettings: [
            .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
            .unsafeFlags(["-fstack-protector-strong"]),
        ])
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["Support"], swiftSettings: strict)
}

/// What an operator can do, without a word about how it is said.
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
        // Programs of the tests read an app file each: a debug build that optimises this room alone is twice as fast there.
        .target(name: "AppFile", swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        room("Terminal"),
        room("Asking", ["PQ", "Catalog", "AppFile"]),
        room("Ledger", ["Terminal", "Asking", "PQ", "Catalog", "EmbeddedSQL"]),
        room("Acts", ["Ledger", "Asking", "PQ", "Catalog", "AppFile"]),
        room("Inquiries", ["Ledger", "Asking", "PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        // What people do to users and what becomes of accounts do not see each other.
        room(
            "Changes",
            ["Acts", "Inquiries", "Ledger", "Terminal", "Asking", "PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        // A platform's own store of files.
        room("Storage", ["Ledger", "Terminal", "Asking"]),
        room(
            "Accounts",
            [
                "Storage", "Acts", "Inquiries", "Ledger", "Terminal", "Asking", "PQ", "Catalog", "AppFile",
                "EmbeddedSQL",
            ]),
        room("Grants", ["Accounts", "Inquiries", "Ledger", "Asking", "PQ", "Catalog", "AppFile"]),
        room("CommandLine", ["AppFile"]),
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
        // Holds a cluster until somebody kills it.
        .executableTarget(
            name: "cluster-holder", dependencies: ["LocalCluster"], path: "Tests/ClusterHolder", swiftSettings: strict),
        // Replays files; built with a fuzzer, searches for ones that break whoever reads them.
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
        tests("CLITests", engine + ["usher", "Commands", "CommandLine", "EmbeddedSQL", "LocalCluster"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)
