package import Inquiries

extension AppDraft.Sentences {
    /// The sentences of a draft.
    package static let english = AppDraft.Sentences(
        opening: "A draft from the tables of this database. Check it, and complete it.",
        ofMany: { "It covers the most important of \($0) tables." },
        meaning: { "One of \($0.joined(separator: ", "))." },
        question: { name, isOfLatest in
            isOfLatest
                ? "What is the state of this user's latest row of \(name)?"
                : "What is the \(name) of this user?"
        },
        outcome: { "The value is \($0)." }, nothing: "There is no value.",
        another: "Another value, which this file doesn't describe yet.",
        marks: .init(
            name: "marks",
            question: "Which mark does this user have? Order the rules by priority, and describe the result of each.",
            outcome: { "Marked as: \($0)." }))
}
