/// One thing that is different in two JSON values.
package struct JSONDifference: Sendable, Equatable {
    /// The names on the way to it, the outermost first.
    package let path: [String]
    /// Nil where it was not there, or is no more.
    package let before: JSON?
    package let after: JSON?

    /// The differences, except those of the clock; `ignored` members of the outermost object are skipped.
    ///
    /// Elements of an array are matched by their first member. Times and spans are equal if they moved by as many
    /// `seconds` as lie between the two documents.
    package static func all(
        from old: JSON, to new: JSON, after seconds: Double, ignoring ignored: Set<String> = []
    ) -> [JSONDifference] {
        let comparison = Comparison(seconds: seconds)
        guard case .object(let before) = old, case .object(let after) = new else {
            return comparison.between(old, new, [])
        }
        return comparison.between(
            .object(before.filter { !ignored.contains($0.key) }), .object(after.filter { !ignored.contains($0.key) }),
            [])
    }
}

/// Two values that some time lies between.
private struct Comparison {
    let seconds: Double

    /// The tolerance for the time that the queries take.
    private static let tolerance = 2.0

    func between(_ old: JSON, _ new: JSON, _ path: [String]) -> [JSONDifference] {
        if isSame(old, new) { return [] }
        switch (old, new) {
        case (.object(let before), .object(let after)):
            let later = Dictionary(after.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            let former = Set(before.map(\.key))
            return before.flatMap { member in
                later[member.key].map { between(member.value, $0, path + [member.key]) }
                    ?? [JSONDifference(path: path + [member.key], before: member.value, after: nil)]
            }
                + after.filter { !former.contains($0.key) }.map {
                    JSONDifference(path: path + [$0.key], before: nil, after: $0.value)
                }
        case (.array(let before), .array(let after)): return between(before, after, path)
        default: return [JSONDifference(path: path, before: old, after: new)]
        }
    }

    private func between(_ old: [JSON], _ new: [JSON], _ path: [String]) -> [JSONDifference] {
        var gone = old
        var come: [JSON] = []
        for element in new {
            let place = gone.firstIndex(of: element) ?? gone.firstIndex { isSame($0, element) }
            if let place { gone.remove(at: place) } else { come.append(element) }
        }
        var found: [JSONDifference] = []
        for element in come {
            let name = element.name
            if let name, let place = gone.firstIndex(where: { $0.name == name }) {
                found += between(gone.remove(at: place), element, path + [name])
            } else {
                found.append(JSONDifference(path: path + [name].compactMap { $0 }, before: nil, after: element))
            }
        }
        return found + gone.map { JSONDifference(path: path + [$0.name].compactMap { $0 }, before: $0, after: nil) }
    }

    /// True if two values are the same, or would be but for the time that has passed.
    private func isSame(_ old: JSON, _ new: JSON) -> Bool {
        if old == new { return true }
        switch (old, new) {
        case (.string(let before), .string(let after)):
            if let before = Instant(rfc3339: before), let after = Instant(rfc3339: after) {
                return hasPassed(after.seconds(since: before))
            }
            guard let before = IntervalPhrase.seconds(before), let after = IntervalPhrase.seconds(after) else {
                return false
            }
            return hasPassed(abs(after - before))
        case (.array(let before), .array(let after)):
            return before.count == after.count && zip(before, after).allSatisfy { isSame($0, $1) }
        case (.object(let before), .object(let after)):
            return before.count == after.count
                && zip(before, after).allSatisfy { $0.key == $1.key && isSame($0.value, $1.value) }
        default: return false
        }
    }

    private func hasPassed(_ difference: Double) -> Bool { abs(difference - seconds) < Self.tolerance }
}

extension JSON {
    /// The key of an element of an array: the first of its members.
    fileprivate var name: String? {
        guard case .object(let members) = self, let first = members.first else { return nil }
        return first.value.brief
    }

    /// The value on one line, for people.
    package var brief: String {
        switch self {
        case .null: "nothing"
        case .bool(let flag): flag ? "yes" : "no"
        case .number(let text), .string(let text), .raw(let text): text
        case .array(let values): values.map(\.brief).joined(separator: ", ")
        case .object(let members):
            members.filter { $0.value != .null }.map { "\($0.key) \($0.value.brief)" }.joined(separator: ", ")
        }
    }
}
