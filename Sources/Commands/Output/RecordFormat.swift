import PQ
import Terminal

/// The writer of records in one format.
protocol RecordFormat: AnyObject {
    func begin(_ columns: [Column])
    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int)
    func write(_ values: [Value], key: Value)
    /// Shows the written rows, if they are for people.
    func flush()
    func end()
    /// Passes the collected bytes to `receive` if there are at least `threshold`; true if bytes may have been written.
    ///
    /// A format that writes to the screen directly doesn't collect bytes.
    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool
    var warning: SafeText? { get }
}

extension RecordFormat {
    func begin(_ columns: [Column]) {}

    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int) {
        let row = row.copy()
        write(chosen.map { row.values[$0] }, key: key < row.values.count ? row.values[key] : Value(nil))
    }

    func flush() {}

    func end() {}

    func drain(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool { true }

    var warning: SafeText? { nil }
}
