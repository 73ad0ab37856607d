import PQ

/// The form of a column's values for programs, computed once, because comparing types takes as long as writing a value.
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

/// Writes values like `MachineText`, directly from bytes.
struct MachineBytes {
    /// A reused buffer for values that programs see in another form, so that no row allocates memory.
    private var scratch: [UInt8] = []

    /// Calls the body with the bytes as programs see them.
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
