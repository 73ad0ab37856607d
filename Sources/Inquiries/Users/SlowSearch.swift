/// What is read from one end to the other, for want of an index, and the statement that would make that needless.
package enum SlowSearch: Sendable, Hashable {
    case users(remedy: String?)
    case belongings(remedy: String?)

    package var remedy: String? {
        switch self {
        case .users(let remedy), .belongings(let remedy): remedy
        }
    }
}
