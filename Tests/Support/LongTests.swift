import Foundation
package import Testing

/// True if long tests run: `USHER_DEEP=all`, in `.ci/deep`.
package let isDeep = ProcessInfo.processInfo.environment["USHER_DEEP"] != nil

/// All cases of a long test with `USHER_DEEP=all`; else every third case.
package func sample<Case>(_ cases: some Sequence<Case>) -> [Case] {
    cases.enumerated().filter { isDeep || $0.offset % 3 == 0 }.map(\.element)
}

extension Trait where Self == ConditionTrait {
    /// Marks a suite that takes long.
    ///
    /// The suite runs only with `USHER_DEEP=all`, in `.ci/deep`.
    package static var long: Self {
        .enabled(if: isDeep, "a long test: set USHER_DEEP=all")
    }
}
