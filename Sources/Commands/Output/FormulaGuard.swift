import Terminal

/// Escapes cells that a spreadsheet would run as formulas; without --for-spreadsheet, only counts these cells.
struct FormulaGuard {
    let isActive: Bool
    private var count = 0

    /// Creates a guard that has not counted a cell yet.
    init(isActive: Bool) { self.isActive = isActive }

    /// True if a spreadsheet would run a text as a formula.
    mutating func isFormula(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        switch bytes[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D:
            count += 1
            return true
        default: return false
        }
    }

    /// The text with an apostrophe before it, which spreadsheets hide; without --for-spreadsheet, the text unchanged.
    func guarded(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = isActive ? [UInt8(ascii: "'")] : []
        for index in bytes.indices { copy.append(bytes[index]) }
        return copy
    }

    /// The warning about values that look like formulas.
    var warning: SafeText? {
        guard count > 0, !isActive else { return nil }
        return SafeText("\(count)") + (count == 1 ? " cell begins" : " cells begin")
            + " like a formula; add --for-spreadsheet, so that a spreadsheet doesn't run formulas"
    }
}
