package import AppFile
package import Asking
internal import Catalog
internal import Glibc
internal import Inquiries
package import PQ

/// The undeclared columns that could contain a user's key or email, or the key of a row that is deleted with a user.
package struct Survey: Sendable {
    /// The proposed effect; `ask` proposes nothing.
    package enum Effect: String, Sendable { case delete, detach, keep, ignore, ask }

    package struct Answer: Sendable {
        /// The pattern: `schema.table.column`, a column name in all tables, or `schema.table` for all columns.
        let path: [String]
        let effect: Effect

        package init(_ text: String) throws(Failure) {
            let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let effect = sides.last.flatMap(Effect.init(rawValue:))
            guard sides.count == 2, let effect, effect != .ask, let path = SQLName.parts(ofPath: sides[0]),
                (1...3).contains(path.count),
                path.count != 2 || [.ignore, .keep].contains(effect)
            else {
                throw Failure(
                    .usage, "--propose \(text): the value doesn't have the form COLUMN=EFFECT",
                    hint: "write COLUMN=EFFECT; EFFECT is one of: delete, detach, keep, ignore")
            }
            (self.path, self.effect) = (path, effect)
        }

        /// True if the answer covers `schema.table.column`.
        func isAbout(_ column: [String]) -> Bool {
            path.count == 1 ? column.last == path[0] : Array(column.prefix(path.count)) == path
        }
    }

    /// A column that needs a line in the app file.
    package struct Question: Sendable {
        package let table: String
        package let column: String
        package let path: String
        package let because: [Evidence]
        /// The suggested target `schema.table.column`; nil if unknown, and for texts.
        package let parent: String?
        package let effect: Effect
        /// The proposed lines; empty if only an engineer can decide.
        package let proposal: [String]
        package let rows: Int?

        package var name: String { "\(table).\(column)" }
        package var evidence: String { because.map(\.sentence).joined(separator: "; ") }
    }

    package let root: String
    package let rootPath: String
    /// The number of columns that foreign keys or lines of the app file declare.
    package let declared: Int
    package let undeclared: [Question]
    package let hidden: [String]
    package let missing: [String]
    package let aimless: [String]

    package var isClean: Bool { undeclared.isEmpty && hidden.isEmpty && missing.isEmpty && aimless.isEmpty }

    package static var sampledRows: Int { Candidates.rows }

    /// Surveys the whole database without writing anything.
    ///
    /// Sampled values add questions and never remove a question. So an app file that answers all questions is complete
    /// for an empty database, too. Without samples, the result depends only on the schema and the app file.
    package static func make(
        _ request: AccountRequest, answers: [Answer] = [], weighingData: Bool = true, on connection: Connection,
        candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Survey {
        let (start, transaction) = try AccountStart.open(
            request, on: connection, candidates: candidates, options: options)
        let model = try start.model(asking: transaction.ask)
        for answer in answers where !model.knows(answer) {
            throw Failure(
                .usage, "--propose: this database has no table or column \(SQLName.path(of: answer.path))",
                hint: "write names with capital letters in double quotes")
        }
        var candidates = Candidates(model)
        if weighingData { try candidates.sample(model, asking: transaction.ask) }
        let questions = SurveyQuestions(model, candidates, answers)
        let keys = questions.reached.flatMap(model.edges(to:)).filter { $0.reference != nil }.count
        let root = model.root
        return Survey(
            root: "\(root.table).\(root.column)", rootPath: pasted(root.table, root.column),
            declared: model.lineCount + keys,
            undeclared: questions.all.values.sorted { ($0.table, $0.column) < ($1.table, $1.column) },
            hidden: questions.hidden.map { "\(model.name($0.name.table)).\($0.name.column)" }.sorted(),
            missing: model.rules.missing, aimless: model.rules.aimless)
    }

    /// The proposals as an `@account` block for an app file; a comment if there are no proposals.
    package var block: String {
        let lines = undeclared.flatMap { question in
            question.proposal.isEmpty
                ? ["\(question.path), \(question.effect.rawValue): \(question.evidence)"] : question.proposal
        }
        // A name may contain a newline, which would end the SQL comment of a directive.
        return (["@account"] + lines).map { "-- \(String($0.map { $0.isNewline ? " " : $0 }))\n" }.joined()
    }

    /// Appends the proposals that the app file doesn't contain yet; returns the number of lines.
    @discardableResult package static func append(_ block: String, to path: String) throws(Failure) -> Int {
        var standing: [UInt8] = []
        do throws(FileError) { standing = try readFile(path, isRegular: true) } catch {
            if error.isOfOtherKind {
                throw Failure(.usage, "can't append lines to \(path), because it is not a regular file")
            }
            guard error.isMissing else { throw error.failure(path) }
        }
        // Lines that differ only in the reason count as equal.
        func title(_ line: Substring) -> Substring { line.firstRange(of: ": ").map { line[..<$0.lowerBound] } ?? line }
        let titles = Set(String(decoding: standing, as: UTF8.self).split(separator: "\n").map(title))
        let lines = block.split(separator: "\n")
        let missing = lines.dropFirst().filter { !titles.contains(title($0)) }
        if missing.isEmpty { return 0 }
        let gap = standing.last.map { $0 == UInt8(ascii: "\n") ? "\n" : "\n\n" } ?? ""
        let added = (lines.prefix(1) + missing).joined(separator: "\n") + "\n"
        let bytes = Array((gap + added).utf8)
        guard let file = unsafe fopen(path, "a"), unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count,
            unsafe fclose(file) == 0
        else { throw FileError(code: errno).failure(path, kind: .failed, deed: "write") }
        return missing.filter { $0.hasPrefix("-- @") }.count
    }
}

extension AccountModel {
    fileprivate func knows(_ answer: Survey.Answer) -> Bool {
        columns.all.contains { column in
            graph.tables[column.name.table].map { answer.isAbout([$0.schema, $0.name, column.name.column]) } ?? false
        }
    }

    fileprivate var lineCount: Int {
        edges.filter { $0.reference == nil && !$0.isAsked }.count + rules.kept.count + rules.shared.count
            + rules.assignments.values.filter { $0.contains { $0.given == nil } }.count
    }
}
