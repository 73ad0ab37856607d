package import PQ

/// Why something is not done, in facts, by one enum a room or more.
///
/// What is said of it, and what helps, is worded where it is shown.
package protocol Refusal: Hashable, Sendable {
    /// What decides the exit code.
    var kind: Failure.Kind { get }
    /// What certainly did not happen, nil where that goes without saying or is not certain.
    var nothing: Failure.Nothing? { get }
    /// What somebody could give so that the same succeeds.
    var want: Failure.Want? { get }
    /// What the server said, where it was the server that refused.
    var state: SQLState? { get }
    /// What became of the commit that it is about, where it came to one: the ledger has that already, or cannot have it.
    var fate: Fate? { get }
    /// The failure that this says more about.
    var cause: Failure? { get }
}

extension Refusal {
    package var nothing: Failure.Nothing? { cause?.nothing }
    package var want: Failure.Want? { cause?.want }
    package var state: SQLState? { cause?.state }
    package var fate: Fate? { cause?.fate }
    package var cause: Failure? { nil }

    /// Whether another one is of the same facts.
    package func equals(_ other: any Refusal) -> Bool { self == other as? Self }
}

package struct HeldRefusal: Hashable, Sendable {
    package let refusal: any Refusal
    init(_ refusal: any Refusal) { self.refusal = refusal }
    package static func == (a: HeldRefusal, b: HeldRefusal) -> Bool { AnyHashable(a.refusal) == AnyHashable(b.refusal) }
    package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(refusal)) }
}

package struct NoRefusal: Refusal {
    package var kind: Failure.Kind { .failed }
}
