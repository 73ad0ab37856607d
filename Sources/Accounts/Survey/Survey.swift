package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// Every column that could hold a key or an email of a user, or a key of what is deleted with one, and of which neither a foreign
/// key nor a line of the app file says what becomes of it.
package struct Survey: Sendable {
    /// What would become of such rows, by the proposal; `ask` proposes nothing.
    package enum Effect: String, Sendable { case delete, detach, keep, ignore, owned, ask }

    /// What an engineer says about columns instead of the proposal.
    package struct Answer: Sendable {
        /// `schema.table.column`, what columns of several tables are called, or `schema.table` for all columns of one.
        let path: [String]
        let effect: Effect

        package static let effects: [Effect] = [.delete, .detach, .keep, .ignore]

        /// Reads `COLUMN=EFFECT`.
        package init(_ text: String) throws(Failure) {
            let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let effect = sides.last.flatMap(Effect.init(rawValue:)).flatMap { Self.effects.contains($0) ? $0 : nil }
            guard sides.count == 2, let effect, let path = SQLName.parts(ofPath: sides[0]),
                (1...3).contains(path.count),
                path.count != 2 || [.ignore, .keep].contains(effect)
            else {
                throw Failure(AccountRefusal.noAnswer(text, known: Self.effects.map(\.rawValue)))
            }
            (self.path, self.effect) = (path, effect)
        }

        /// Whether it is about `schema.table.column`.
        func isAbout(_ column: [String]) -> Bool {
            path.count == 1 ? column.last == path[0] : Array(column.prefix(path.count)) == path
        }
    }

    /// What somebody has to declare.
    package struct Question: Sendable {
        package let table: String
        package let column: String
        /// The column, as an app file names it.
        package let path: String
        package let because: [Evidence]
        /// What it would refer to, `schema.table.column`; nil for a text that contains something, and where nobody knows.
        package let parent: String?
        package let effect: Effect
        /// The lines that would declare it; none where nobody but an engineer can tell.
        package let proposal: [Proposal]
        /// How many rows the table has, as far as the planner knows.
        package let rows: Int?

        package var name: String { "\(table).\(column)" }
        package var points: Int { because.reduce(0) { $0 + $1.points } }
    }

    /// A line of an app file.
    package struct Proposal: Sendable, Hashable {
        /// The line, up to why it is so.
        package let line: String
        /// Why, where such lines say so.
        package let reason: Reason?

        package enum Reason: Sendable, CaseIterable {
            case namesForGood, textsNamingUsers, refersToNobody, staysWithout, staysForOthers
        }

        package init(_ line: String, _ reason: Reason? = nil) { (self.line, self.reason) = (line, reason) }
    }

    /// The column that users are values of.
    package let root: String
    /// The same as SQL reads it.
    package let rootPath: String
    /// How many columns of the account are known: by foreign keys, and by lines.
    package let settled: Int
    package let unsettled: [Question]
    /// Columns of small numbers that may be users' as well as anything, as the app file names them.
    package let untold: [String]
    /// Columns that this role may not see, or that another server does not show.
    package let hidden: [String]
    /// What the app file names and this database does not have.
    package let missing: [String]
    /// Columns for which it has an answer, and of which nothing says what they refer to.
    package let aimless: [String]

    package var isSettled: Bool { unsettled.isEmpty && hidden.isEmpty && missing.isEmpty && aimless.isEmpty }

    /// How many rows of each table a survey looks at.
    package static var sampledRows: Int { Samples.rows }

    /// Surveys the whole database without writing anything.
    ///
    /// Values add questions and never drop one, so that a file which answers all of them is complete in an empty database, too.
    /// Without values the result is the same for every database of a schema.
    package static func make(
        _ request: AccountRequest, answers: [Answer] = [], weighingData: Bool = true, on connection: Connection,
        candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Survey {
        let reading = try AccountInquiry.open(request, on: connection, candidates: candidates, options: options)
        let model = try AccountModel(of: reading.start, answers: AccountAnswers(), asking: reading.ask)
        for answer in answers where !model.knows(answer) {
            throw Failure(AccountRefusal.answersNothing(SQLName.path(of: answer.path)))
        }
        let walk = try SurveyWalk(model, answers, weighingData: weighingData, asking: reading.ask)
        func names(_ columns: [AccountColumn.Name]) -> [String] {
            columns.map { "\(model.name($0.table)).\($0.column)" }.sorted()
        }
        let root = model.root
        return Survey(
            root: "\(root.table).\(root.column)", rootPath: SQLName.path(ofTable: root.table, column: root.column),
            settled: model.lineCount + walk.keys,
            unsettled: walk.questions.sorted { ($0.table, $0.column) < ($1.table, $1.column) },
            untold: walk.untold.map { model.path($0) }.sorted(), hidden: names(walk.hidden),
            missing: model.rules.missing, aimless: model.rules.aimless)
    }
}

extension AccountModel {
    /// Whether there is a column that an answer is about.
    fileprivate func knows(_ answer: Survey.Answer) -> Bool {
        columns.all.contains { column in
            graph.tables[column.name.table].map { answer.isAbout([$0.schema, $0.name, column.name.column]) } ?? false
        }
    }

    /// How many edges and rules the lines of the app file made.
    fileprivate var lineCount: Int {
        edges.filter { $0.cause == .declared }.count + rules.kept.count + rules.shared.count + rules.assignments.count
    }
}
