import PQ
import Terminal

/// The format of records: everything in which formats differ.
protocol RecordFormat: AnyObject {
    /// Begins with the columns that are written, of which nothing may be known.
    func begin(_ columns: [Column])
    /// Writes the chosen values of a row that still lies in libpq's memory.
    func write(_ row: borrowing RowView, _ chosen: [Int], key: Int)
    /// Writes values in the order of the columns.
    func write(_ values: [Value], key: Value)
    /// Shows what was written where it is for people.
    func flush()
    /// Ends the output.
    func end()
    /// Hands on the bytes that gathered, where they are so many, and says whether anything may have been written: a format that
    /// writes to the screen itself has nothing to hand on.
    func hand(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool
    /// The warning after the output.
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

    func hand(atLeast threshold: Int, to receive: ([UInt8]) -> Void) -> Bool { true }

    var warning: SafeText? { nil }
}
