package import AppFile
package import Asking
internal import Catalog
internal import Glibc
internal import Inquiries
package import PQ

/// Every column that could hold a person, or a key of what belongs to one, and of which neither a foreign key nor a line of
/// the app file says what becomes of it; and every table that triggers write to as an account goes, of which no line does.
package struct Survey: Sendable {
    /// What would become of such rows, by the proposal; to `ask` is to propose nothing.
    package enum Effect: String, Sendable { case delete, detach, keep, plain, mention, anonymise, owned, ask }

    /// What an engineer says about the columns of a name, about one, or about what is written into a table, instead of the
    /// proposal.
    package struct Answer: Sendable {
        /// `schema.table.column`, or what columns of several tables are called; of what triggers write, `schema.table`.
        let column: [String]
        let effect: Effect
        var path: String { SQLName.path(of: column) }

        package static let effects: [Effect] = [.delete, .detach, .keep, .plain]

        /// Reads `COLUMN=EFFECT`.
        package init(_ text: String) throws(Failure) {
            let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let effect = sides.last.flatMap(Effect.init(rawValue:)).flatMap { Self.effects.contains($0) ? $0 : nil }
            guard sides.count == 2, let effect, let column = SQLName.parts(ofPath: sides[0]),
                column.count == 2 ? [.keep, .delete].contains(effect) : [1, 3].contains(column.count)
            else {
                throw Failure(AccountRefusal.noAnswer(text, known: Self.effects.map(\.rawValue)))
            }
            (self.column, self.effect) = (column, effect)
        }
    }

    /// What somebody has to settle.
    package struct Question: Sendable {
        package enum Matter: Sendable {
            case column
            /// The rows that triggers write into a table, or a function of theirs that nobody can read.
            case written, function
            /// The rows of a table that are other users' too.
            case shared
        }

        package let matter: Matter
        package let table: String
        /// The column, where it is about one.
        package let column: String?
        /// The column, the table, or the function, as an app file names it.
        package let path: String
        package let because: [Evidence]
        /// What it would refer to, `schema.table.column`; nil for what may be mentioned in a text.
        package let parent: String?
        package let effect: Effect
        /// The lines that would settle it; none where nobody but an engineer can tell.
        package let proposal: [Proposal]
        /// How many rows have a value there, as far as the planner knows.
        package let rows: Int?

        package var name: String { column.map { "\(table).\($0)" } ?? table }
        package var points: Int { because.reduce(0) { $0 + $1.points } }
    }

    /// A line of an app file.
    package struct Proposal: Sendable, Hashable {
        /// The line, up to why it is so.
        package let line: String
        /// Why, where such lines say so.
        package let reason: Reason?

        package enum Reason: Sendable, CaseIterable {
            case namesForGood, namesNobody, refersToNobody, staysWithout, staysForOthers, nobodys, tellsWhatWent,
                namesWhoWent, goesForAll
        }

        package init(_ line: String, _ reason: Reason? = nil) { (self.line, self.reason) = (line, reason) }
    }

    /// Questions that one answer is likely to fit.
    package struct Group: Sendable {
        package let questions: [Question]

        /// The column, what it refers to, and what would become of it.
        package var title: String {
            guard let first = questions.first else { return "" }
            return (first.column ?? first.path) + (first.parent.map { " → \($0)" } ?? "")
        }
        package var effect: Effect { questions.first?.effect ?? .delete }
        package var tables: [String] { questions.map(\.table) }
        package var rows: Int? {
            let known = questions.compactMap(\.rows)
            return known.count == questions.count ? known.reduce(0, +) : nil
        }
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
    /// Tables of which users share rows, as the app file names them: whoever deletes is asked what becomes of those.
    package let shared: [String]
    /// Columns that this role may not see, or that another server does not show.
    package let hidden: [String]
    /// What the app file names and this database does not have.
    package let missing: [String]

    package var isSettled: Bool { unsettled.isEmpty && hidden.isEmpty && missing.isEmpty }

    /// The questions, those together that one answer is likely to fit, the largest groups first.
    package var groups: [Group] {
        var groups: [String: [Question]] = [:]
        for question in unsettled {
            groups[
                "\(question.matter) \(question.column ?? question.path) \(question.parent ?? "") \(question.effect)",
                default: []
            ]
            .append(question)
        }
        return groups.sorted { (-$0.value.count, $0.key) < (-$1.value.count, $1.key) }.map {
            Group(questions: $0.value)
        }
    }

    /// Surveys the whole database without writing anything.
    ///
    /// Weighing data adds questions and never drops one, so that a file which answers all of them is settled in an empty database,
    /// too. Without data the result is the same for every database of a schema.
    package static func make(
        _ request: AccountRequest, answers: [Answer] = [], weighingData: Bool = true, on connection: Connection,
        candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Survey {
        let reading = try AccountInquiry.open(request, on: connection, candidates: candidates, options: options)
        let map = try AccountMap(of: reading.start, asking: reading.ask)
        let walk = try SurveyWalk.go(
            from: reading.start, map, answers, weighingData: weighingData, asking: reading.ask)
        let columns = walk.candidates
        return Survey(
            root: "\(map.root.table).\(map.root.column)",
            rootPath: SQLName.path(ofTable: map.root.table, column: map.root.column),
            settled: map.lines.count + map.kept.count + walk.keys,
            unsettled: walk.questions.sorted { ($0.table, $0.column ?? "") < ($1.table, $1.column ?? "") },
            untold: columns.untold.filter { !map.settles($0) && map.graph.tables[$0.table]?.isCopy == false }.map {
                map.path($0.table, $0.name)
            }.sorted(),
            shared: walk.shared.map { map.path($0) }.filter { path in
                !walk.questions.contains { $0.matter == .shared && $0.path == path }
            }.sorted(),
            hidden: walk.hidden.sorted(), missing: map.missing)
    }
}

extension Survey {
    /// Appends proposals to an app file, which may be new, but for those that stand there; gives how many lines it wrote.
    @discardableResult package static func append(_ block: String, to path: String) throws(Failure) -> Int {
        func failure(_ deed: AccountRefusal.FileDeed) -> Failure {
            Failure(AccountRefusal.file(path: path, deed, code: errno))
        }
        let descriptor = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard descriptor >= 0 else { throw failure(.opened) }
        defer { _ = Glibc.close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(.opened) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(AccountRefusal.noPlainFile(path: path))
        }
        var standing = [UInt8](repeating: 0, count: max(0, Int(status.st_size)))
        let read = unsafe standing.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        guard read >= 0 else { throw failure(.read) }
        let (missing, written) = missing(of: block, in: String(decoding: standing.prefix(read), as: UTF8.self))
        if missing.isEmpty { return 0 }
        let gap = read == 0 ? "" : standing[read - 1] == UInt8(ascii: "\n") ? "\n" : "\n\n"
        let bytes = Array((gap + missing).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(.written) }
            sent += count
        }
        return written
    }

    /// A block without the lines that a file has, and how many are left.
    ///
    /// A line stands there whatever reason it gives, or whatever else it says of the same; and a comment without any when its
    /// beginning does, whatever was found out since.
    private static func missing(of block: String, in file: String) -> (text: String, lines: Int) {
        func title(_ line: Substring) -> Substring { line.firstRange(of: ": ").map { line[..<$0.lowerBound] } ?? line }
        let titles = Set(file.split(separator: "\n").map(title))
        let all = block.split(separator: "\n")
        var (missing, comment, written, isAnswered): ([Substring], [Substring], Int, Bool) = ([], [], 0, false)
        func close() {
            let isNew = comment.contains { $0 != "--" && !titles.contains(title($0)) }
            if !isAnswered, isNew { missing += comment }
            (comment, isAnswered) = ([], false)
        }
        for line in all.dropFirst() {
            if line == "--" { close() }
            if line.hasPrefix("-- @") {
                isAnswered = true
                if titles.contains(title(line)) { continue }
                missing += comment + [line]
                (comment, written) = ([], written + 1)
            } else {
                comment.append(line)
            }
        }
        close()
        return missing.isEmpty ? ("", 0) : ((all.prefix(1) + missing).joined(separator: "\n") + "\n", written)
    }
}
