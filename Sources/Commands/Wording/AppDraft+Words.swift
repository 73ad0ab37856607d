package import Inquiries

extension AppDraft.Sentences {
    /// What a draft says to whoever goes on from it.
    package static let english = AppDraft.Sentences(
        opening: "A draft made from the database catalog. Read it, and add what the tables don't show.",
        ofMany: { "It covers the most important of \($0) tables." },
        meaning: { "One of \($0.joined(separator: ", "))." },
        question: { name, isOfLatest in
            isOfLatest
                ? "What is the state of this user's latest row of \(name)?"
                : "What is the \(name) of this user?"
        },
        outcome: { "It is \($0)." }, nothing: "There is none.",
        another: "A value that this file does not describe yet.",
        marks: .init(
            name: "marks",
            question: "What is this user marked as? Order the rules by priority, and describe the result of each.",
            outcome: { "Marked as: \($0)." }))
}
