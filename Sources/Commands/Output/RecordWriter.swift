import Asking
import Inquiries
import PQ
import Terminal

/// Writes records, one after the other, in any format; only the table format keeps some of them.
final class RecordWriter {
    private let context: Context
    private let text: ScreenText
    private let keyColumn: String?
    /// The columns that are never cut, since half a key finds nobody.
    private let whole: Set<String>
    /// The columns to write, all when empty.
    private let wanted: [String]
    private var columns: [Column] = []
    private var chosen: [Int] = []
    private var csv = CSV()
    private var tsv = TSV()
    private var json = JSONWriter()
    private var machine = MachineBytes()
    private var guarding: FormulaGuard
    private var buffered: [[SafeText]] = []
    private var hasBegun = false
    private var printedTable = false
    private(set) var count = 0

    /// Rows that a table collects before it settles on the widths of its columns.
    private static let tableChunk = 1000

    /// A writer for the chosen format; `-o name` prints the key column, the first when there is none.
    ///
    /// People see the columns that are `shown`; programs get all of those that there are.
    init(
        _ context: Context, key: String? = nil, columns wanted: [String] = [], shown: [String] = [],
        whole: [String] = [], now: String? = nil
    ) {
        self.context = context
        keyColumn = key
        self.whole = Set(whole)
        let usual = context.options.format == .table && !shown.isEmpty ? shown : wanted
        self.wanted = context.options.fields.isEmpty ? usual : context.options.fields
        text = ScreenText(context, now: now)
        guarding = FormulaGuard(isActive: context.options.forSpreadsheet)
    }

    /// Writes a whole listing.
    static func write(_ listing: Listing, _ context: Context) throws(Failure) {
        let writer = RecordWriter(
            context, key: listing.key, columns: listing.columns, shown: listing.shown,
            whole: listing.whole + [listing.key].compactMap { $0 })
        let columns = try listing.stream { row throws(Failure) in try writer.write(row) }
        try writer.finish(columns: columns)
        if writer.count == 0 { context.remark("none") }
    }

    /// Writes a row that still lies in libpq's memory; the formats of lines take its bytes as they are.
    func write(_ row: borrowing RowView) throws(Failure) {
        switch context.options.format {
        case .csv:
            try begin(row.columns)
            append(row, to: &csv)
        case .tsv:
            try begin(row.columns)
            append(row, to: &tsv)
        default: return try write(row.copy())
        }
        try sent()
    }

    private func guardedText(_ value: Value) -> String? {
        guard let text = MachineText.of(value), !value.type.isNumber, guarding.isFormula(text.utf8.span) else {
            return MachineText.of(value)
        }
        return String(decoding: guarding.guarded(text.utf8.span), as: UTF8.self)
    }

    /// Counts a row, and hands on what has gathered.
    private func sent() throws(Failure) {
        count += 1
        send(atLeast: 65_536)
        // Whoever stopped reading waits for nothing more, and neither should the server.
        if context.screen.outputState != .open { throw Failure(.interrupted, "nobody reads the output") }
    }

    private func append(_ row: borrowing RowView, to writer: inout some RowWriter) {
        for index in chosen {
            let type = columns[index].type
            unsafe row.withBytes(index) { bytes in
                guard let bytes = unsafe bytes else { return writer.null() }
                unsafe machine.with(bytes, type) { span in
                    if type.isNumber || !guarding.isFormula(span) { return writer.field(span) }
                    writer.field(guarding.guarded(span).span)
                }
            }
        }
        writer.endRow()
    }

    func write(_ row: Row) throws(Failure) {
        try begin(row.columns)
        let values = chosen.map { row.values[$0] }
        switch context.options.format {
        case .table: keep(values)
        case .json, .ndjson: json.value(JSON(zip(chosen, values).map { (columns[$0].name, JSON($1)) }))
        case .csv: csv.append(values.map(guardedText))
        case .tsv: tsv.append(values.map(guardedText))
        case .name: context.screen.write(SafeText(MachineText.of(row.values[keyIndex]) ?? ""))
        }
        if context.options.format == .ndjson { json.endLine() }
        try sent()
    }

    /// Ends the output; a list of nothing is still a list.
    func finish(columns: [Column] = []) throws(Failure) {
        try begin(columns)
        if context.options.format == .json {
            json.endArray()
            json.endLine()
        }
        printTable()
        send(atLeast: 0)
        if let warning = guarding.warning { context.remark(warning) }
    }

    private var keyIndex: Int { keyColumn.flatMap { key in columns.firstIndex { $0.name == key } } ?? 0 }

    private func begin(_ columns: [Column]) throws(Failure) {
        guard !hasBegun else { return }
        hasBegun = true
        self.columns = columns
        chosen = columns.isEmpty ? [] : try Fields.indices(of: wanted, in: columns.map(\.name))
        let names: [String?] = chosen.map { columns[$0].name }
        switch context.options.format {
        case .json: json.beginArray()
        case .csv where !columns.isEmpty: csv.append(names)
        case .tsv where !columns.isEmpty: tsv.append(names)
        default: break
        }
    }

    private func send(atLeast threshold: Int) {
        if json.bytes.count >= threshold, !json.bytes.isEmpty { context.screen.data(json.take()) }
        if csv.bytes.count >= threshold, !csv.bytes.isEmpty { context.screen.data(csv.take()) }
        if tsv.bytes.count >= threshold, !tsv.bytes.isEmpty { context.screen.data(tsv.take()) }
    }

    // MARK: Tables

    private func keep(_ values: [Value]) {
        buffered.append(values.map { text.value($0) })
        if buffered.count >= Self.tableChunk { printTable() }
    }

    private func printTable() {
        guard !buffered.isEmpty else { return }
        let table = TextTable(
            columns: chosen.map { TextTable.Column(columns[$0], isWhole: whole.contains(columns[$0].name)) },
            rows: buffered)
        let lines = table.lines(width: context.screen.widthLimit)
        context.screen.write(printedTable ? Array(lines.dropFirst()) : lines)
        printedTable = true
        buffered = []
    }
}

extension TextTable.Column {
    init(_ column: Column, isWhole: Bool = false) {
        // Half a time or half a number says something else.
        let isWhole = isWhole || column.type.isNumber || column.type.isInstant || column.type == .uuid
        self.init(SafeText(column.name), alignment: column.type.isNumber ? .right : .left, canShrink: !isWhole)
    }
}

/// Which of the columns there are `--fields` asks for.
enum Fields {
    static func indices(of wanted: [String], in names: [String]) throws(Failure) -> [Int] {
        guard !wanted.isEmpty else { return Array(names.indices) }
        var indices: [Int] = []
        for name in wanted {
            guard let index = names.firstIndex(of: name) else {
                throw Failure(
                    .usage, name.isEmpty ? "--fields names nothing" : "there is no field \(name)", want: .field,
                    hint: "there is \(names.joined(separator: ", "))")
            }
            // An object has each of its members once.
            guard !indices.contains(index) else { throw Failure(.usage, "--fields names \(name) twice", want: .field) }
            indices.append(index)
        }
        return indices
    }
}
