// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room of the house: what it may import is what it lists, and arrows point only upwards in this file.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["Support"], swiftSettings: strict)
}

let package = Package(
    name: "usher",
    products: [.executable(name: "usher", targets: ["usher"])],
    targets: [
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CEmbeddedSQL"),
        room("EmbeddedSQL", ["CEmbeddedSQL"]),
        room("PQ", ["CPQ"]),
        room("Catalog", ["PQ", "EmbeddedSQL"]),
        room("AppFile"),
        room("Operations", ["PQ", "Catalog", "AppFile", "EmbeddedSQL"]),
        room("Terminal"),
        room("CommandLine"),
        room("LocalCluster"),
        room("Commands", ["Operations", "Terminal", "CommandLine", "LocalCluster", "PQ", "AppFile", "Catalog"]),
        // No pkg-config: readline's names flags that the package manager prohibits.
        .systemLibrary(name: "CReadline", providers: [.apt(["libreadline-dev"])]),
        room(
            "Console", ["Commands", "CommandLine", "Terminal", "Operations", "Catalog", "AppFile", "PQ", "CReadline"]),
        .executableTarget(
            name: "usher", dependencies: ["Console", "Commands", "CommandLine", "Terminal", "LocalCluster", "PQ"],
            swiftSettings: strict),

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
