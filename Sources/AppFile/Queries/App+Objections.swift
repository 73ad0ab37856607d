/// Checks if the repair of a problem would be refused, because usher doesn't suggest refused actions.
extension App {
    /// The objections to an action: the number of the refusal that applies, and the facts of the sentences.
    package struct Objection: Sendable {
        package let action: Action

        /// The objections to an action; nil if the action needs arguments, or has no refusals or subjects.
        package init?(_ action: Action) {
            guard action.parameters.all.isEmpty, !action.refusals.isEmpty, action.subject != .nothing else {
                return nil
            }
            self.action = action
        }

        /// The column with the number of the refusal; the columns of the facts follow.
        static let column = "usher objection"

        /// The columns to select from a subject that the statement names `facts`.
        var columns: [Composer.Piece] {
            let facts = Set(action.refusals.flatMap(\.sentence.facts)).sorted().map {
                ", facts.\(Composer.quoted($0)) as \(Composer.quoted(Self.column(ofFact: $0)))"
            }
            return App.first(of: action.refusals) + [.text(" as \(Composer.quoted(Self.column))\(facts.joined())")]
        }

        /// The columns to select, and the join that provides them, for the subject with a key, among those that meet a
        /// condition on their facts.
        func join(
            _ key: String, among condition: [Composer.Piece]?, in app: App
        ) -> (columns: String, join: [Composer.Piece]) {
            guard let (definition, own) = app.directory(of: action.subject) else { return ("", []) }
            let subjects =
                condition.map { App.some(of: definition, where: $0) } ?? [.definition(definition), .text(" facts")]
            return (
                ", objection.*",
                // The conditions use `facts` as the subject's name, so the statement around them must not.
                [.text(" cross join lateral (select \(key) as key) as objected left join lateral (select ")]
                    + columns + [.text(" from ")] + subjects
                    + [.text(" where facts.\(Composer.quoted(own)) = objected.key limit 1) objection on true")]
            )
        }

        /// The number of columns of an answer before the objection's.
        package static func place(in columns: [String]) -> Int { columns.firstIndex(of: column) ?? columns.count }

        /// The sentence of a refusal by its number, and a fact by its column in the answer.
        package func refusal(_ number: String) -> Sentence? {
            Int(number).flatMap { action.refusals.indices.contains($0) ? action.refusals[$0].sentence : nil }
        }

        package static func column(ofFact name: String) -> String { "usher fact " + name }
    }
}
