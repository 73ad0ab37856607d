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
        switch context.options.format.shape {
        case .screen where context.options.fields.isEmpty: context.screen.write(screen())
        case .keys:
            if let record = records().first {
                _ = try Fields.indices(of: context.options.fields, in: record.columns.map(\.name))
            }
            context.screen.write(SafeText(key))
        case .document, .objects:
            let members = json()
            let chosen = try Fields.indices(of: context.options.fields, in: members.map(\.0))
            context.write(document: JSON(chosen.map { members[$0] }))
        case .screen, .columns:
            let writer = RecordWriter(context)
            for row in records() { try writer.write(row) }
            try writer.finish()
        }
    }
}

extension Context {
    /// Whether the output is a screen for people, and not picked columns.
    var showsScreen: Bool { options.format.shape == .screen && options.fields.isEmpty }

    /// Writes one document, over several lines for whoever reads it at a terminal.
    func write(document: JSON) {
        screen.data(Array(options.format.text(of: document, isRead: screen.isTerminal).utf8))
    }
}
