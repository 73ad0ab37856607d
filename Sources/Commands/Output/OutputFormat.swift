import CommandLine
import Terminal

package enum OutputFormat: String, Sendable, CaseIterable {
    case table, json, ndjson, csv, tsv, name

    /// True if errors and remarks on standard error are JSON, too.
    package var isJSON: Bool { self == .json || self == .ndjson }

    func records(
        on screen: any Screen, text: ScreenText, whole: Set<String>, options: GlobalOptions
    ) -> any RecordFormat {
        switch self {
        case .table: TableRecords(screen, text, whole: whole, hasShortIDs: options.fields.isEmpty)
        case .json: JSONRecords(asList: true)
        case .ndjson: JSONRecords(asList: false)
        case .csv: SeparatedRecords(.csv, isGuarded: options.forSpreadsheet)
        case .tsv: SeparatedRecords(.tsv, isGuarded: options.forSpreadsheet)
        case .name: KeyRecords(screen)
        }
    }

    static let choices: [Choice] = [
        Choice(name: "table", summary: "for people", needs: results),
        Choice(name: "json", summary: "one document", needs: results),
        Choice(name: "ndjson", summary: "one object per line", needs: results.union(.writesLines)),
        Choice(name: "csv", summary: "RFC 4180, exact values", needs: results),
        Choice(name: "tsv", summary: "the format of COPY", needs: results),
        Choice(name: "name", summary: "keys only, for xargs", needs: results),
        Choice(name: "github", summary: "annotations of a pull request (findings)", needs: .reportsFindings),
        Choice(name: "sarif", summary: "SARIF 2.1.0 (findings)", needs: .reportsFindings),
    ]

    private static let results: Command.Traits = [.writesResult, .runsCommands]
}

/// The formats of `app check` for code review tools.
package enum FindingsFormat: String, Sendable {
    case github, sarif
}
