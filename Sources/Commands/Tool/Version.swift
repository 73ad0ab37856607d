import AppFile
import Asking
import CommandLine
import PQ
package import Terminal

extension Verb {
    static let version = Command(
        "version", summary: "Show the version of usher.",
        examples: [
            Example(
                "version -v", explains: "Also show the version of libpq, for a bug report.",
                output: """
                    usher 1.0.0, built from a working copy, language 5
                    """)
        ],
        traits: [.writesResult, .writesRows]
    ).verb(fleetScope: .outside) { _, context throws(Failure) in
        try VersionView.showAll(context)
    }
}

package enum VersionView {
    package static let number = "1.0.0"

    /// The commit, which `git archive` writes into this placeholder.
    private static let archived = "$Format:%H$"
    private static let archivedDate = "$Format:%cs$"
    private static var commit: String? { archived.hasPrefix("$") ? nil : archived }
    private static var date: String? { archivedDate.hasPrefix("$") ? nil : archivedDate }

    package static func show(_ context: Context) {
        if context.options.format.isJSON {
            context.screen.write(SafeText(json: JSON([("version", number)])))
        } else {
            context.screen.write("usher " + SafeText(number))
        }
    }

    static func showAll(_ context: Context) throws(Failure) {
        // The screen shows libpq's version only with -v, because loading libpq doubles the time of the command.
        try context.writePage(
            json: [
                ("version", number), ("commit", commit), ("date", date), ("libpq", LibPQ.version),
                ("language", Language.version),
            ],
            key: number, screen: [context.options.isVerbose ? line : line(with: nil)])
    }

    /// The versions of usher, libpq and the app language, for people.
    package static var line: SafeText { line(with: LibPQ.version.map { "libpq \($0)" } ?? "no libpq") }

    private static func line(with library: String?) -> SafeText {
        let parts = [
            number, commit.map { "commit \($0.prefix(12))" } ?? "built from a working copy", date, library,
            "language \(Language.version)",
        ]
        return "usher " + SafeText(parts.compactMap { $0 }.joined(separator: ", "))
    }
}
