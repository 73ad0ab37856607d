import Asking
import PQ
import Terminal

/// Writes one thing as a whole: a screen for people, a document or a record for programs.
struct PageWriter {
    let context: Context

    /// Writes what the format asks for.
    ///
    /// That is the document, of which `--fields` picks members; the same as records for the formats of lines, and for
    /// people who pick columns; the key for `-o name`; or else the lines for people.
    func write(
        json: @autoclosure () -> [(String, JSON)], records: @autoclosure () -> [Row], key: String,
        screen: @autoclosure () -> [SafeText]
    ) throws(Failure) {
        switch context.options.format {
        case .table where context.options.fields.isEmpty: context.screen.write(screen())
        case .name:
            if let record = records().first {
                _ = try Fields.indices(of: context.options.fields, in: record.columns.map(\.name))
            }
            context.screen.write(SafeText(key))
        case .json, .ndjson:
            let members = json()
            let chosen = try Fields.indices(of: context.options.fields, in: members.map(\.0))
            let pretty = context.options.format == .json && context.screen.isTerminal
            context.screen.data(Array((JSON(chosen.map { members[$0] }).text(pretty: pretty) + "\n").utf8))
        case .table, .csv, .tsv:
            let writer = RecordWriter(context)
            for row in records() { try writer.write(row) }
            try writer.finish()
        }
    }
}
