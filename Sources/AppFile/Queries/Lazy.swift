import Synchronization

/// A derived value, computed on first use and then cached.
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
