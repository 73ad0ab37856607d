internal import Asking
internal import PQ

extension Inquiry {
    /// The limit of a list of what happened, such as `yesterday` or `7 days`.
    func instant(_ text: String, named name: String) throws(Failure) -> String {
        try typedTimes.instant(text, named: name, countsBack: true)
    }

    /// Values by name, the times among them so that they mean the same wherever clocks are set.
    ///
    /// Of types that say nothing about time the values stay as they were typed.
    func settled(_ values: [String: String], types: [String: TypeID]) throws(Failure) -> [String: String] {
        let typed = values.sorted { $0.key < $1.key }.compactMap { name, text in
            types[name].map { TypedTimes.Typed(name: name, text: text, type: $0) }
        }.filter(\.isTime)
        var settled = values
        for (typed, text) in zip(typed, try typedTimes.values(of: typed)) { settled[typed.name] = text }
        return settled
    }
}
