import Foundation
package import Testing

/// True if long tests run: `USHER_DEEP=all`, in `.ci/deep`.
package let isDeep = ProcessInfo.processInfo.environment["USHER_DEEP"] != nil

extension Trait where Self == ConditionTrait {
    /// Marks a suite that takes long.
    ///
    /// It runs only with `USHER_DEEP=all`, in `.ci/deep`.
    package static var long: Self {
        .enabled(if: isDeep, "a long test: set USHER_DEEP=all")
    }
}
