import Asking
import Changes

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
