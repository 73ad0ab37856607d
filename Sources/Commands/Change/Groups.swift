import Asking
import Changes

extension [RowChange] {
    /// The columns in which the changes of a group differ.
    var differing: Set<String> {
        let first = self[0]
        let indices = first.columns.indices.filter { index in contains { $0.columns[index] != first.columns[index] } }
        return Set(indices.map { first.columns[$0].name })
    }

    /// Groups changes of the same columns of a table; if `together` is false, each change is a separate group.
    ///
    /// If more than `most` groups have the same columns, the groups become one group, to keep the output short.
    func alike(together: Bool, most: Int) -> [[RowChange]] {
        if !together { return map { [$0] } }
        let alike = grouped { change -> [[String]] in
            [[change.table, change.kind.rawValue], change.columns.map(\.name), change.secrets]
        }
        return alike.flatMap { changes in
            let equal = changes.grouped { $0.columns }
            return equal.count > most ? [changes] : equal
        }
    }
}

extension Array {
    /// The elements in groups with equal keys, in the order of their first elements.
    func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var places: [Key: Int] = [:]
        var groups: [[Element]] = []
        for element in self {
            let key = key(element)
            if let place = places[key] {
                groups[place].append(element)
            } else {
                places[key] = groups.count
                groups.append([element])
            }
        }
        return groups
    }
}

/// The users and objects with the same refusal or warning.
struct RemarkGroup: Sendable {
    /// The sentence, with the facts of its first subject.
    let sentence: FilledSentence
    let subjects: [ChangeSubject]
    /// The number of subjects, including subjects that `subjects` doesn't contain.
    let count: Int
    /// True if the sentence is the same for all subjects.
    let isUniform: Bool
    /// True for a plain remark that is no problem.
    let isHarmless: Bool

    /// The only subject, if the sentence doesn't contain its label.
    var unnamed: ChangeSubject? {
        count > 1 ? nil : subjects.first.flatMap { sentence.says($0.label) ? nil : $0 }
    }
}

extension [SubjectRemark] {
    /// The remarks grouped by sentence, in order of first occurrence.
    ///
    /// Sentences that differ only in facts share a group.
    var grouped: [RemarkGroup] {
        grouped(by: \.sentence.shape).map { remarks in
            RemarkGroup(
                sentence: remarks[0].sentence, subjects: remarks.compactMap(\.subject), count: remarks.count,
                isUniform: remarks.allSatisfy { $0.sentence == remarks[0].sentence },
                isHarmless: remarks[0].isHarmless)
        }
    }
}
