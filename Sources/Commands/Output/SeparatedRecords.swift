import PQ
import Terminal

/// Writes records as CSV or TSV; values in libpq's memory are copied as bytes.
final class SeparatedRecords: RecordFormat {
    private var writer: SeparatedText
    /// An empty writer, which replaces `writer` while a row is written.
    private let blank: SeparatedText
    private var forms: [MachineForm] = []
    private var machine = MachineBytes()
    /// True to escape cells that a spreadsheet would run as formulas.
    private let isGuarded: Bool

    init(_ format: SeparatedText.Format, isGuarded: Bool) {
        writer = SeparatedText(format)
        blank = writer
        self.isGuarded = isGuarded
    }

    func begin(_ columns: [Column]) {
        forms = columns.map { MachineForm($0.type) }
        if !columns.isEmpty { writer.append(columns.map(\.name)) }
    }

    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int) {
        // Local variables avoid exclusivity checks for each value.
        var (writer, machine) = (blank, MachineBytes())
        swap(&writer, &self.writer)
        swap(&machine, &self.machine)
        for place in chosen.indices {
            let form = forms[place]
            unsafe row.withBytes(chosen[place]) { bytes in
                guard let bytes = unsafe bytes else { return writer.null() }
                unsafe machine.with(bytes, form) { span in
                    if isGuarded, form != .number, Self.isFormula(span) {
                        writer.field(unsafe Self.escaped(String(decoding: bytes, as: UTF8.self)).utf8.span)
                    } else if form.isPlain {
                        writer.plain(span)
                    } else {
                        writer.field(span)
                    }
                }
            }
        }
        writer.endRow()
        swap(&writer, &self.writer)
        swap(&machine, &self.machine)
    }

    func write(_ values: [Value], key: Value) {
        writer.append(
            values.map { value in
                guard isGuarded, !value.type.isNumber, let text = value.text, Self.isFormula(text.utf8.span) else {
                    return MachineText.of(value)
                }
                return Self.escaped(text)
            })
    }

    private static func isFormula(_ bytes: borrowing Span<UInt8>) -> Bool {
        !bytes.isEmpty && "=+-@\t\r".utf8.contains(bytes[0])
    }

    /// The text after an apostrophe, which spreadsheets hide.
    private static func escaped(_ text: String) -> String { "'" + text }

    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool {
        guard !writer.bytes.isEmpty, writer.bytes.count >= threshold else { return false }
        writer.drain(to: receive)
        return true
    }
}
