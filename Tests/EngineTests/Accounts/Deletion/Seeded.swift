import Foundation
import Testing

/// A random value that a seed determines, and that has smaller variants.
protocol Seeded {
    init(seed: UInt64)
    /// Smaller variants of this value; each lacks one of its elements.
    var smaller: [Self] { get }
    /// A description that is enough to create the value again.
    var written: String { get }
}

extension Seeded {
    /// Runs a test with a number of seeds; the first failing value is reduced to the smallest one that fails, and
    /// recorded.
    ///
    /// `ERASURE_SEEDS` sets the number, `ERASURE_SEED` the first seed. Problems of the test's own preparation begin
    /// with `Self.unfit`.
    static func attempt(_ problem: (Self) throws -> String?) throws {
        func variable(_ name: String, _ standard: Int) -> Int {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
        }
        let first = variable("ERASURE_SEED", 1)
        for seed in first..<(first + variable("ERASURE_SEEDS", 25)) {
            var best = Self(seed: UInt64(seed))
            guard var reason = try problem(best) else { continue }
            while true {
                var isSmaller = false
                for candidate in best.smaller {
                    guard let other = try problem(candidate), !other.hasPrefix(unfit) else { continue }
                    (best, reason, isSmaller) = (candidate, other, true)
                    break
                }
                if !isSmaller { break }
            }
            Issue.record("seed \(seed): \(reason)\n\(best.written)")
            return
        }
    }

    static var unfit: String { "the test's own schema fails" }
}

/// Random numbers from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
