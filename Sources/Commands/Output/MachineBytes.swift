import PQ

/// The machine format of a column's values.
///
/// The format is computed once per column, because comparing types takes as long as writing a value.
enum MachineForm {
    case boolean, time, json, number, text

    init(_ type: TypeID) {
        switch type {
        case .boolean: self = .boolean
        case .timestamptz, .timestamp: self = .time
        case .json, .jsonb: self = .json
        case _ where type.isNumber: self = .number
        default: self = .text
        }
    }

    var isPlain: Bool {
        switch self {
        case .boolean, .time, .number: true
        case .json, .text: false
        }
    }
}

/// Formats values like `MachineText`, but directly from bytes.
struct MachineBytes {
    /// A reused buffer for reformatted values, so that rows don't allocate memory.
    private var scratch: [UInt8] = []

    /// Passes the formatted bytes of a value to `body`.
    @unsafe mutating func with(
        _ bytes: UnsafeRawBufferPointer, _ form: MachineForm, _ body: (borrowing Span<UInt8>) -> Void
    ) {
        switch form {
        case .boolean:
            let isTrue = unsafe bytes.first == UInt8(ascii: "t")
            body((isTrue ? Self.yes : Self.no).span)
        case .time:
            scratch.removeAll(keepingCapacity: true)
            unsafe scratch.append(contentsOf: bytes)
            MachineText.rewriteTime(&scratch)
            body(scratch.span)
        case .json, .number, .text:
            unsafe body(Span(_unsafeBytes: bytes))
        }
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)
}
