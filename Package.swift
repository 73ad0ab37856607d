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

let package = Package(
    name: "usher",
    products: [.executable(name: "usher", targets: ["usher"])],
    targets: [
        clibrary("CPQ"),
        clibrary("CReadline"),
        clibrary("CEmbeddedSQL"),
        room("EmbeddedSQL", ["CEmbeddedSQL"]),
        room("PQ", ["CPQ"]),
        room("Catalog", ["PQ", "EmbeddedSQL"]),
        room("AppFile"),
        room("Operations", ["PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        room("Terminal"),
        room("CommandLine"),
        room("LocalCluster"),
        room("Commands", ["Operations", "Terminal", "CommandLine", "LocalCluster", "PQ", "AppFile", "Catalog"]),
        room(
            "Console", ["Commands", "CommandLine", "Terminal", "Operations", "Catalog", "AppFile", "PQ", "CReadline"]),
        .executableTarget(
            name: "usher", dependencies: ["Console", "Commands", "CommandLine", "Terminal", "LocalCluster", "PQ"],
            swiftSettings: strict, linkerSettings: hardened),

        .target(
            name: "Support", dependencies: ["LocalCluster", "Operations", "PQ"], path: "Tests/Support",
            swiftSettings: strict),
        // Holds a cluster until somebody kills it.
        .executableTarget(
            name: "cluster-holder", dependencies: ["LocalCluster"], path: "Tests/ClusterHolder", swiftSettings: strict),
        // Replays files; built with a fuzzer, searches for ones that break the parser.
        .executableTarget(
            name: "fuzz-appfile", dependencies: ["AppFile"], path: "Tests/Fuzz/AppFile", swiftSettings: strict),
        tests("LocalClusterTests", ["LocalCluster", "cluster-holder"]),
        tests("PQTests", ["LocalCluster", "PQ"]),
        tests("AppFileTests", ["AppFile", "EmbeddedSQL", "PQ"]),
        tests("CommandLineTests", ["CommandLine"]),
        tests("TerminalTests", ["Terminal"]),
        tests("OperationsTests", ["Operations", "AppFile", "Catalog", "LocalCluster", "PQ"]),
        tests("CommandsTests", ["AppFile", "Commands", "CommandLine", "EmbeddedSQL", "Operations"]),
        tests("CLITests", ["usher", "Commands", "CommandLine", "EmbeddedSQL", "LocalCluster", "Operations", "PQ"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)
