import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Marks a suite that takes long and that a small change seldom breaks: it runs with `USHER_DEEP=all`, in `.ci/deep`.
    package static var long: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["USHER_DEEP"] != nil, "a long test: set USHER_DEEP=all")
    }
}
