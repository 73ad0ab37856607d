import CommandLine

package enum OutputFormat: String, Sendable, CaseIterable {
    case table, json, ndjson, csv, tsv, name

    /// True if errors and remarks on standard error are JSON, too.
    package var isJSON: Bool { self == .json || self == .ndjson }

    static let choices: [Choice] = [
        Choice("table", "for people", needs: results),
        Choice("json", "one document", needs: results),
        Choice("ndjson", "one object per line", needs: results.union(.writesLines)),
        Choice("csv", "RFC 4180, exact values", needs: results),
        Choice("tsv", "the format of COPY", needs: results),
        Choice("name", "keys only, for xargs", needs: results),
        Choice("github", "annotations of a pull request (findings)", needs: .reportsFindings),
        Choice("sarif", "SARIF 2.1.0 (findings)", needs: .reportsFindings),
    ]

    private static let results: Command.Traits = [.writesResult, .runsCommands]
}

/// The formats of `app check` for code review tools.
package enum FindingsFormat: String, Sendable {
    case github, sarif
}
