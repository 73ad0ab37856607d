import PQ
import Terminal

/// An object a record, as one list or one a line.
final class JSONRecords: RecordFormat {
    private let isList: Bool
    private var writer = JSONWriter()
    private var columns: [Column] = []

    init(asList isList: Bool) { self.isList = isList }

    func begin(_ columns: [Column]) {
        self.columns = columns
        if isList { writer.beginArray() }
    }

    func write(_ values: [Value], key: Value) {
        writer.value(JSON(zip(columns, values).map { ($0.name, JSON($1)) }))
        if !isList { writer.endLine() }
    }

    /// A list of nothing is still a list.
    func end() {
        guard isList else { return }
        writer.endArray()
        writer.endLine()
    }

    func take(atLeast threshold: Int) -> [UInt8] { writer.bytes.count >= threshold ? writer.take() : [] }
}
