import PQ
import Terminal

final class JSONRecords: RecordFormat {
    private let isList: Bool
    private var writer = JSONWriter()
    private var columns: [Column] = []
    private var names: [[UInt8]] = []
    private var forms: [MachineForm] = []
    private var machine = MachineBytes()

    init(asList isList: Bool) { self.isList = isList }

    func begin(_ columns: [Column]) {
        self.columns = columns
        names = columns.map { JSONWriter.quoted($0.name) }
        forms = columns.map { MachineForm($0.type) }
        if isList { writer.beginArray() }
    }

    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int) {
        // Local variables avoid exclusivity checks for each value.
        var (writer, machine) = (JSONWriter(), MachineBytes())
        swap(&writer, &self.writer)
        swap(&machine, &self.machine)
        writer.beginObject()
        for (place, index) in chosen.enumerated() {
            writer.key(quoted: names[place])
            let form = forms[place]
            unsafe row.withBytes(index) { bytes in
                guard let bytes = unsafe bytes else { return writer.null() }
                unsafe machine.with(bytes, form) { span in
                    switch form {
                    case .boolean: writer.bool(span.count == 4)
                    case .json: writer.raw(span)
                    case .number: writer.number(span)
                    case .time, .text: writer.string(span)
                    }
                }
            }
        }
        writer.end()
        if !isList { writer.endLine() }
        swap(&writer, &self.writer)
        swap(&machine, &self.machine)
    }

    func write(_ values: [Value], key: Value) {
        JSON(Row(columns: columns, values: values)).write(into: &writer)
        if !isList { writer.endLine() }
    }

    /// Ends the list, which is empty without records.
    func end() {
        guard isList else { return }
        writer.end()
        writer.endLine()
    }

    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool {
        guard !writer.bytes.isEmpty, writer.bytes.count >= threshold else { return false }
        writer.drain(to: receive)
        return true
    }
}
