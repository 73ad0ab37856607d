/// What is read from one end to the other, for want of indexes, and the statements that would make that needless.
package enum SlowSearch: Sendable, Hashable {
    case users(remedies: [String])
    case belongings(remedies: [String])

    package var remedies: [String] {
        switch self {
        case .users(let remedies), .belongings(let remedies): remedies
        }
    }
}
