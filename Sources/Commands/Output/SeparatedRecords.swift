import PQ
import Terminal

/// Records as lines of separated values; rows in libpq's memory are copied as bytes.
final class SeparatedRecords: RecordFormat {
    private var writer: SeparatedText
    /// An empty writer, which replaces the real one while a row is written.
    private let blank: SeparatedText
    private var forms: [MachineForm] = []
    private var machine = MachineBytes()
    private var guarding: FormulaGuard

    /// If `guarded`, cells that a spreadsheet would run are escaped.
    init(_ format: SeparatedText.Format, guarded: Bool) {
        writer = SeparatedText(format)
        blank = writer
        guarding = FormulaGuard(isActive: guarded)
    }

    func begin(_ columns: [Column]) {
        forms = columns.map { MachineForm($0.type) }
        if !columns.isEmpty { writer.append(columns.map(\.name)) }
    }

    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int) {
        // Local variables avoid exclusivity checks for each value.
        var (writer, machine, guarding) = (blank, MachineBytes(), guarding)
        swap(&writer, &self.writer)
        swap(&machine, &self.machine)
        for place in chosen.indices {
            let form = forms[place]
            unsafe row.withBytes(chosen[place]) { bytes in
                guard let bytes = unsafe bytes else { return writer.null() }
                unsafe machine.with(bytes, form) { span in
                    if form != .number, guarding.isFormula(span) {
                        writer.field(guarding.guarded(span).span)
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
        self.guarding = guarding
    }

    func write(_ values: [Value], key: Value) { writer.append(values.map(text)) }

    private func text(_ value: Value) -> String? {
        guard let text = MachineText.of(value), !value.type.isNumber, guarding.isFormula(text.utf8.span) else {
            return MachineText.of(value)
        }
        return String(decoding: guarding.guarded(text.utf8.span), as: UTF8.self)
    }

    func hand(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool {
        guard !writer.bytes.isEmpty, writer.bytes.count >= threshold else { return false }
        writer.hand(to: receive)
        return true
    }

    var warning: SafeText? { guarding.warning }
}
