package import Inquiries

extension AppDraft.Sentences {
    /// What a draft says to whoever goes on from it.
    package static let english = AppDraft.Sentences(
        opening: "A draft made from the catalog. Read it as a stranger would, and say what the tables do not.",
        ofMany: { "Of \($0) tables it speaks of those that matter most." },
        meaning: { "One of \($0.joined(separator: ", "))." },
        question: { name, isOfLatest in
            isOfLatest
                ? "How does this user's latest row of \(name) stand? Say what follows from it."
                : "What is the \(name) of this user? Say what follows from it."
        },
        outcome: { "It is \($0)." }, nothing: "There is none.",
        another: "It is something that nobody has written about yet.",
        marks: .init(
            name: "marks",
            question: "What is this user marked as? Put first what goes before, and say what follows from it.",
            outcome: { "Marked as: \($0)." }))
}
