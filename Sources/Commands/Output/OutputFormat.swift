import CommandLine

/// How results are written.
package enum OutputFormat: String, Sendable, CaseIterable {
    case table, json, ndjson, csv, tsv, name

    /// Whether errors and everything on standard error are JSON too.
    package var isJSON: Bool { self == .json || self == .ndjson }

    static let choices: [Choice] = [
        Choice(name: "table", summary: "for people"),
        Choice(name: "json", summary: "one document"),
        Choice(name: "ndjson", summary: "one object a line"),
        Choice(name: "csv", summary: "RFC 4180, exact values"),
        Choice(name: "tsv", summary: "as COPY writes it"),
        Choice(name: "name", summary: "keys only, for xargs"),
        Choice(name: "github", summary: "annotations of a pull request (app check)"),
        Choice(name: "sarif", summary: "SARIF 2.1.0 (app check)"),
    ]
}

/// How `app check` writes for those who show findings beside the lines of a change.
package enum FindingsFormat: String, Sendable {
    case github, sarif
}
