import Terminal

extension JSON {
    /// The value if it is a text or a number.
    var scalar: String? {
        switch self {
        case .string(let text), .number(let text), .raw(let text): text
        default: nil
        }
    }

    /// The text or number in a field of an object.
    func text(_ name: String) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value.scalar
    }
}
