import Asking
import Inquiries
import PQ
import Terminal

/// Writes records one by one in the chosen format; only tables for people buffer rows.
final class RecordWriter {
    private let context: Context
    private let format: any RecordFormat
    private let keyColumn: String?
    /// The value of the column `database`, if the command runs in a fleet.
    private let place: Value?
    /// The columns to write; if empty, all columns.
    private let wanted: [String]
    private var chosen: [Int] = []
    private var key = 0
    private var hasBegun = false
    private(set) var count = 0

    private static let database = Column(name: Member.column, type: .text)

    private static let chunk = 65_536

    /// Creates a writer for the chosen format; `-o name` prints the key column, or else the first column.
    ///
    /// People see the columns in `shown`; programs get the columns in `columns`, or all columns.
    init(
        _ context: Context, key: String? = nil, columns wanted: [String] = [], shown: [String] = [],
        whole: [String] = []
    ) {
        self.context = context
        keyColumn = key
        let options = context.options
        place = options.member.map { Value($0) }
        var usual = options.format == .table && !shown.isEmpty ? shown : wanted
        if place != nil, !usual.isEmpty { usual.insert(Member.column, at: 0) }
        self.wanted = options.fields.isEmpty ? usual : options.fields
        format =
            switch options.format {
            case .table:
                TableRecords(
                    context.screen, ScreenText(context), whole: Set(whole), hasShortIDs: options.fields.isEmpty)
            case .json: JSONRecords(asList: true)
            case .ndjson: JSONRecords(asList: false)
            case .csv: SeparatedRecords(.csv, isGuarded: options.forSpreadsheet)
            case .tsv: SeparatedRecords(.tsv, isGuarded: options.forSpreadsheet)
            case .name: KeyRecords(context.screen)
            }
    }

    static func write(_ listing: Listing, _ context: Context) throws(Failure) {
        let writer = RecordWriter(
            context, key: listing.key, columns: listing.columns, shown: listing.shown,
            whole: listing.whole + [listing.key].compactMap { $0 })
        let columns = try listing.stream { row throws(Failure) in try writer.write(row) }
        let total = context.showsScreen ? try listing.total(shown: writer.count) : nil
        try writer.finish(
            columns: columns,
            of: total.map { SafeText("\(writer.count) of \($0.isCut ? "more than " : "")\($0.count)") })
        if writer.count == 0 { context.remark("No rows found.") }
    }

    /// Writes records whose columns are all texts.
    static func write(
        _ records: [[String?]], columns names: [String], key: String? = nil, _ context: Context
    ) throws(Failure) {
        let columns = Column.texts(names)
        try RecordWriter(context, key: key).write(records.map { Row(columns, $0) }, columns: columns)
    }

    /// Writes all records and the end of the output; `columns` are the columns of an empty result.
    func write(_ rows: [Row], columns: [Column]) throws(Failure) {
        for row in rows { try write(row) }
        try finish(columns: columns)
    }

    func write(_ row: borrowing RowView) throws(Failure) {
        if place != nil { return try write(row.copy()) }
        try begin(row.columns)
        format.write(row, chosen, key: key)
        try sent()
    }

    func write(_ row: Row) throws(Failure) {
        try begin(row.columns)
        let values = (place.map { [$0] } ?? []) + row.values
        format.write(chosen.map { values[$0] }, key: key < values.count ? values[key] : Value(nil))
        try sent()
    }

    /// Writes the end of the output.
    ///
    /// `columns` are the columns of an empty result. `total` is a remark such as “20 of 57”.
    func finish(columns: [Column] = [], of total: SafeText? = nil) throws(Failure) {
        try begin(columns)
        format.end()
        _ = send(atLeast: 0)
        let remarks = [total, format.warning].compactMap { $0 }
        if !remarks.isEmpty { context.remark(remarks.joined(separator: ". ")) }
    }

    private func begin(_ columns: [Column]) throws(Failure) {
        guard !hasBegun else { return }
        hasBegun = true
        let columns = place == nil || columns.isEmpty ? columns : [Self.database] + columns
        chosen = columns.isEmpty ? [] : try Fields.indices(of: wanted, in: columns.map(\.name))
        // Without a key column, the first column is the key.
        let first = place == nil ? 0 : 1
        key = keyColumn.flatMap { key in columns.dropFirst(first).firstIndex { $0.name == key } } ?? first
        format.begin(chosen.map { columns[$0] })
    }

    private func sent() throws(Failure) {
        count += 1
        // Only a write can detect a closed pipe; usher then stops the query.
        guard send(atLeast: Self.chunk), context.screen.outputState != .open else { return }
        throw Failure(.interrupted, "the program that read the output has ended")
    }

    private func send(atLeast threshold: Int) -> Bool {
        format.drain(atLeast: threshold) { context.screen.data($0) }
    }
}

extension Column {
    static func texts(_ names: [String]) -> [Column] { names.map { Column(name: $0, type: .text) } }
}

extension Row {
    /// A row with a text for each column, in the format of Postgres.
    init(_ columns: [Column], _ texts: [String?]) {
        self.init(columns: columns, values: zip(texts, columns).map { Value($0, type: $1.type) })
    }
}

/// The columns that `--fields` selects.
enum Fields {
    /// The code of the failure that the output doesn't have a chosen column.
    static let unknown = "no_field"

    static func indices(of wanted: [String], in names: [String]) throws(Failure) -> [Int] {
        guard !wanted.isEmpty else { return Array(names.indices) }
        var indices: [Int] = []
        for name in wanted {
            guard let index = names.firstIndex(of: name) else {
                throw Failure(
                    .usage, name.isEmpty ? "--fields has an empty name" : "there is no field \(name)", code: unknown,
                    hint: "choose one of: \(names.joined(separator: ", "))")
            }
            // A JSON object can contain each field only once.
            guard !indices.contains(index) else { throw Failure(.usage, "--fields has \(name) twice", code: unknown) }
            indices.append(index)
        }
        return indices
    }

    /// The document with the fields that `--fields` selects.
    static func document(_ members: JSON.Members, _ options: GlobalOptions) throws(Failure) -> JSON {
        JSON(try indices(of: options.fields, in: members.map(\.0)).map { members[$0] })
    }
}

/// Writes records in one output format.
protocol RecordFormat: AnyObject {
    func begin(_ columns: [Column])
    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int)
    func write(_ values: [Value], key: Value)
    func end()
    /// Passes buffered bytes to `receive` if there are at least `threshold` bytes; true if bytes may have been written.
    ///
    /// A format without a buffer writes to the screen directly, so it returns true.
    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool
    var warning: SafeText? { get }
}

extension RecordFormat {
    func begin(_ columns: [Column]) {}

    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int) {
        let row = row.copy()
        write(chosen.map { row.values[$0] }, key: key < row.values.count ? row.values[key] : Value(nil))
    }

    func end() {}

    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool { true }

    var warning: SafeText? { nil }
}
