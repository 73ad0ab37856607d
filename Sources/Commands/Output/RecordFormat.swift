import PQ
import Terminal

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
