import Foundation
import Testing

/// Something random that a seed decides, and that can be made smaller.
protocol Seeded {
    init(seed: UInt64)
    /// The same with one thing less, each.
    var smaller: [Self] { get }
    /// What a person needs to make it again.
    var written: String { get }
}

extension Seeded {
    /// Tries a number of them; the first that fails is made as small as it gets, and recorded.
    ///
    /// `ERASURE_SEEDS` says how many, `ERASURE_SEED` with which one to begin. What is wrong with what the test itself prepares
    /// begins with `Self.unfit`.
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

/// Random numbers that a seed decides.
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
