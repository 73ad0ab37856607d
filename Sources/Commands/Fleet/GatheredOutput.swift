import Asking
import PQ
import Terminal

/// Hands on what the members of a fleet wrote: records as one list, documents as another, screens one below the other.
///
/// It belongs to the one thread that writes.
final class GatheredOutput {
    private let context: Context
    private let fleet: Fleet
    private var members: [Member] { fleet.members }
    /// Where in the fleet a member stands, by its name.
    private let places: [String: Int]
    /// Whether results are of no interest, and only what became of the work is.
    private let isSilent: Bool
    private var json: JSONWriter
    private var hasDocuments = false
    private var list: (format: any RecordFormat, columns: [Column])?
    private var held: [(member: Member, columns: [Column], whole: Set<String>, records: [Gathering.Record])] = []
    private var heldCount = 0
    private var hasScreen = false
    private var remarks: [(text: SafeText, members: [String: Member])] = []
    /// Where a remark stands among them.
    private var remarkPlaces: [String: Int] = [:]
    /// The sum so far, nil once two could not be added up; what each member sent is not kept.
    private var sumOfFigures: (any Figures)?
    private var counted: [(member: Member, headline: String?)] = []
    /// What members came to that have ended, by their names.
    private(set) var ends: [String: Result<ExitStatus, Failure>] = [:]

    init(_ context: Context, of fleet: Fleet, isSilent: Bool = false) {
        self.context = context
        self.fleet = fleet
        places = Dictionary(
            fleet.members.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.isSilent = isSilent
        json = JSONWriter(pretty: context.options.format.shape == .document && context.screen.isTerminal)
        if isJSONList, !isSilent { json.beginArray() }
    }

    private var isJSONList: Bool { context.options.format.shape == .document }

    func take(_ pieces: [(member: Member, piece: Gathering.Piece)]) {
        for (member, piece) in pieces {
            switch piece {
            case .ended(let result): ends[member.name] = result
            case .note(let text): note(text, of: member)
            case .figures(let numbers):
                sumOfFigures = counted.isEmpty ? numbers : sumOfFigures?.adding(numbers)
                counted.append((member, numbers.headline))
            case .records, .document, .screen:
                if !isSilent { write(piece, of: member) }
            }
        }
        if !pieces.isEmpty { handOn() }
    }

    private func write(_ piece: Gathering.Piece, of member: Member) {
        switch piece {
        case .records(let columns, _, let records) where context.options.format.isJSON:
            for record in records { document(JSON(zip(columns, record.values).map { ($0.name, JSON($1)) })) }
        case .records(let columns, let whole, let records):
            // A table is laid out once all of it is there, so people get it in the order of the fleet.
            if context.options.format.shape == .screen, heldCount < Self.mostHeld {
                held.append((member, columns, whole, records))
                heldCount += records.count
            } else {
                release()
                write(records, in: columns, whole: whole, of: member)
            }
        case .document(.array(let documents)) where isJSONList: documents.forEach(document)
        case .document(let document): self.document(document)
        case .screen(let lines): screen(lines, of: member)
        case .note, .figures, .ended: break
        }
    }

    private func release() {
        let ordered = held.enumerated().sorted { one, other in
            (place(of: one.element.member), one.offset) < (place(of: other.element.member), other.offset)
        }
        held = []
        for (_, batch) in ordered { write(batch.records, in: batch.columns, whole: batch.whole, of: batch.member) }
    }

    private func place(of member: Member) -> Int { places[member.name] ?? members.count }

    private func inOrder(_ members: [Member]) -> [Member] { members.sorted { place(of: $0) < place(of: $1) } }

    private func document(_ document: JSON) {
        json.value(document)
        if !isJSONList { json.endLine() }
    }

    /// Writes records below those of the members before; people get another table where the columns are others.
    private func write(_ records: [Gathering.Record], in columns: [Column], whole: Set<String>, of member: Member) {
        if let list, list.columns != columns, context.options.format.shape == .screen, !records.isEmpty {
            list.format.end()
            context.screen.write("")
            self.list = nil
        }
        if list == nil || list?.columns.isEmpty == true {
            let format = context.options.format.records(
                on: context.screen, text: ScreenText(context), whole: whole.union([Self.column]),
                options: context.options)
            format.begin(columns)
            list = (format, columns)
        }
        guard let list else { return }
        let places = list.columns.map { column in columns.firstIndex { $0.name == column.name } }
        let lost = columns.map(\.name).filter { name in !list.columns.contains { $0.name == name } }
        if !lost.isEmpty, !records.isEmpty {
            context.remark(
                "left out of this format, where all rows have the same columns: "
                    + SafeText(lost.joined(separator: ", ")) + " of " + SafeText(member.name))
        }
        for record in records {
            list.format.write(places.map { $0.map { record.values[$0] } ?? Value(nil) }, key: record.key)
        }
    }

    private func screen(_ lines: [Gathering.Line], of member: Member) {
        if context.showsScreen {
            if hasScreen { context.screen.write("") }
            context.screen.write(("-- " + SafeText(member.name)).bold)
            hasScreen = true
        }
        for line in lines {
            switch line {
            case .text(let text): context.screen.write(text)
            case .data(let bytes): context.screen.data(bytes)
            }
        }
    }

    /// What is said of each the same way is said once, at the end; programs get every line, which names its database.
    private func note(_ text: SafeText, of member: Member) {
        if context.options.format.isJSON { return context.screen.note(text) }
        if let place = remarkPlaces[text.description] {
            remarks[place].members[member.name] = member
        } else {
            remarkPlaces[text.description] = remarks.count
            remarks.append((text, [member.name: member]))
        }
    }

    private func handOn() {
        if !json.bytes.isEmpty { json.hand { context.screen.data($0) } }
        _ = list?.format.hand(atLeast: 0) { context.screen.data($0) }
    }

    /// Ends all lists, writes what was added up, and says what was to be said.
    func end() throws(Failure) {
        context.screen.status(nil)
        if !isSilent { try sum() }
        release()
        list?.format.end()
        if isJSONList, !isSilent {
            json.endArray()
            json.endLine()
        }
        handOn()
        if let warning = list?.format.warning { context.remark(warning) }
        for (text, told) in remarks {
            let names: SafeText =
                told.count == members.count ? "" : SafeText(Fleet.list(inOrder(Array(told.values)), most: 3)) + ": "
            context.screen.note(names + text)
        }
    }

    private func sum() throws(Failure) {
        if counted.isEmpty { return }
        guard let sumOfFigures else {
            return context.remark("nothing is added up: these \(fleet.noun)s are not of one app")
        }
        let port = Gathering()
        var total = context
        total.gathering = port
        try sumOfFigures.write(
            total, counted: counted.sorted { place(of: $0.member) < place(of: $1.member) }, of: fleet)
        for (_, piece) in port.take() { write(piece, of: Member(name: "", database: nil)) }
    }

    /// Records for people that wait for those of other members.
    private static let mostHeld = 1000

    static let column = "database"
}
