import Asking
import Changes

/// The users and objects with the same refusal or warning.
struct RemarkGroup: Sendable {
    /// The sentence, with the facts of the first of them.
    let sentence: FilledSentence
    let subjects: [ChangeSubject]
    /// The number of subjects, including those that are not named.
    let count: Int
    /// True if it reads the same of every one.
    let isUniform: Bool

    /// The only subject of a sentence, if the sentence does not name it.
    var unnamed: ChangeSubject? {
        count > 1 ? nil : subjects.first.flatMap { sentence.says($0.label) ? nil : $0 }
    }
}

extension [SubjectRemark] {
    /// The remarks by what they say, in the order of the first of each; what facts they name makes no difference.
    var grouped: [RemarkGroup] {
        var places: [[FilledSentence.Piece]: Int] = [:]
        var groups: [[SubjectRemark]] = []
        for remark in self {
            let shape = remark.sentence.shape
            if let place = places[shape] {
                groups[place].append(remark)
            } else {
                places[shape] = groups.count
                groups.append([remark])
            }
        }
        return groups.map { remarks in
            RemarkGroup(
                sentence: remarks[0].sentence, subjects: remarks.compactMap(\.subject), count: remarks.count,
                isUniform: remarks.allSatisfy { $0.sentence == remarks[0].sentence })
        }
    }
}
