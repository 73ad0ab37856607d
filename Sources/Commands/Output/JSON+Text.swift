import Terminal

extension JSON {
    /// The text of a JSON string or number; nil for other values.
    var scalar: String? {
        switch self {
        case .string(let text), .number(let text), .raw(let text): text
        default: nil
        }
    }

    /// The string or number in a field of an object; nil for other values.
    func text(_ name: String) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value.scalar
    }
}
