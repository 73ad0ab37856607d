import Synchronization

/// A value that is computed when it is first used, and then cached.
final class Lazy<Value: Sendable>: Sendable {
    private let found = Mutex<Value?>(nil)

    func value(_ find: () -> Value) -> Value {
        found.withLock { found in
            if let found { return found }
            let value = find()
            found = .some(value)
            return value
        }
    }
}
