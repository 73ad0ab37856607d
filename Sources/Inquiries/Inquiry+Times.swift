internal import Asking
internal import PQ

extension Inquiry {
    /// The time limit of a list, such as `yesterday` or `7 days`.
    func instant(_ text: String, named name: String) throws(Failure) -> String {
        try typedTimes.instant(text, named: name, countsBack: true)
    }

    /// Values by name, with times that mean the same in every zone; values of other types stay as typed.
    func settled(_ values: [String: String], types: [String: TypeID]) throws(Failure) -> [String: String] {
        let typed = values.sorted { $0.key < $1.key }.compactMap { name, text in
            types[name].map { TypedTimes.Typed(name: name, text: text, type: $0) }
        }.filter(\.isTime)
        var settled = values
        for (typed, text) in zip(typed, try typedTimes.values(of: typed)) { settled[typed.name] = text }
        return settled
    }
}
