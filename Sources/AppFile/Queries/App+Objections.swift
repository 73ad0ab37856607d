/// Finds out whether an action would be refused, because usher doesn't suggest such actions.
extension App {
    /// The columns of a query that show whether an action would be refused: the refusal's number, and the facts of its
    /// sentence.
    package struct Objection: Sendable {
        package let action: Action

        /// Creates the objection to an action; nil if the action has parameters, has no refusals, or is about no user
        /// or object.
        package init?(_ action: Action) {
            guard action.parameters.all.isEmpty, !action.refusals.isEmpty, action.subject != .nothing else {
                return nil
            }
            self.action = action
        }

        /// The column with the number of the refusal; the columns with the facts follow it.
        static let column = "usher objection"

        /// The columns to select from users or objects with the alias `facts`.
        var columns: [Composer.Piece] {
            let facts = Set(action.refusals.flatMap(\.sentence.facts)).sorted().map {
                ", facts.\(Composer.quoted($0)) as \(Composer.quoted(Self.column(ofFact: $0)))"
            }
            return App.first(of: action.refusals) + [.text(" as \(Composer.quoted(Self.column))\(facts.joined())")]
        }

        /// The columns to select, and the join that provides them, for the user or object with a key.
        ///
        /// The condition, if any, limits the users or objects that Postgres reads.
        func join(
            _ key: String, among condition: [Composer.Piece]?, in app: App
        ) -> (columns: String, join: [Composer.Piece]) {
            guard let (definition, own) = app.directory(of: action.subject) else { return ("", []) }
            let subjects =
                condition.map { App.some(of: definition, where: $0) } ?? [.definition(definition), .text(" facts")]
            return (
                ", objection.*",
                // The conditions use the alias `facts`, so the statement around them must not use it.
                [.text(" cross join lateral (select \(key) as key) as objected left join lateral (select ")]
                    + columns + [.text(" from ")] + subjects
                    + [.text(" where facts.\(Composer.quoted(own)) = objected.key limit 1) objection on true")]
            )
        }

        /// The number of columns in a result before those of the objection.
        package static func place(in columns: [String]) -> Int { columns.firstIndex(of: column) ?? columns.count }

        /// The sentence of the refusal with a number; nil if there is no such refusal.
        package func refusal(_ number: String) -> Sentence? {
            Int(number).flatMap { action.refusals.indices.contains($0) ? action.refusals[$0].sentence : nil }
        }

        package static func column(ofFact name: String) -> String { "usher fact " + name }
    }
}
