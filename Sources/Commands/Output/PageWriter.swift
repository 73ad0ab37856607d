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
            // Of several each stands on a line of its own.
            context.screen.write(key.split(separator: "\n").map { SafeText(String($0)) })
        case .document, .objects:
            let place = context.options.member.map { [(Member.column, JSON.string($0))] } ?? []
            let written = json()
            let members = place + written + (context.notes.lag.map { [("standby", JSON($0))] } ?? [])
            context.write(document: try Fields.document(members, context.options))
        case .screen, .columns:
            let writer = RecordWriter(context)
            for row in records() { try writer.write(row) }
            try writer.finish()
        }
    }
}

extension Context {
    /// True if the output is a screen for people, and not picked columns.
    var showsScreen: Bool { options.format.shape == .screen && options.fields.isEmpty }

    /// Writes one document, over several lines for whoever reads it at a terminal.
    ///
    /// At a member of a fleet it says of which database it is.
    func write(document: JSON) {
        let document = placed(document)
        screen.data(Array(options.format.text(of: document, isRead: screen.isTerminal).utf8))
    }
}

extension Context {
    /// A document, or each of a list, with the database that it is of, at a member of a fleet.
    func placed(_ document: JSON) -> JSON {
        guard let name = options.member else { return document }
        switch document {
        case .object(let members) where members.first?.key != Member.column:
            return .object([JSON.Member(Member.column, .string(name))] + members)
        case .array(let documents): return .array(documents.map(placed))
        default: return document
        }
    }
}

extension JSON {
    init(_ lag: Lag) {
        self.init([
            ("replayed", JSON(lag.replayed.map(MachineText.time))),
            ("seconds", lag.seconds.map { .number("\($0)") } ?? .null),
        ])
    }
}
