import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userFind = Verb(
        Command(
            path: ["user", "find"],
            summary: "Search for users: by id or address, by a beginning, by what is theirs, then by any part.",
            discussion: """
                What is theirs are the things that the app file ties to users: an order number, a transaction, the name of \
                an organisation. The best way that finds anybody is used, and named; where a name of one user is also what \
                something of another one goes by, both are. Nothing found is not an error. Among \
                many users what an index finds ends the search, and the columns in which nobody looked are named; a whole \
                address or id is looked for as a part only with --anywhere, or where an index knows the parts.
                """,
            arguments: [
                Argument(
                    name: "TEXT", kind: .text, summary: "A part of an address, a name or an id, or an order number.")
            ],
            options: [
                .limit(standard: "20"),
                Option(
                    long: "anywhere",
                    summary: "Look for a whole address or id as a part too, though that may read all users."),
            ],
            examples: [
                Example(command: "user find ada", explains: "Everybody whose address or name begins with ada."),
                Example(command: "user find @example.org -o name", explains: "Only the keys, for xargs."),
            ], traits: .inquires)
    ) { invocation, context throws(Failure) in
        let text = invocation.argument("TEXT") ?? ""
        let candidates = try context.directories(andBelongings: UserSearch.asksForBelongings(text))
        let output = FoundOutput(context)
        let found = try UserSearch.run(
            text, limit: invocation.integer("limit") ?? 20,
            anywhere: invocation.flag("anywhere"),
            on: try context.connection(after: candidates), candidates: candidates, options: context.inquiry,
            slowly: { slow in
                let what: SafeText =
                    if case .users = slow { "all users are" } else { "all of what belongs to users is" }
                context.remark(
                    what + " read, since no index knows; Ctrl-C stops"
                        + slow.remedies.map { "\n→ " + SafeText($0) }.joined())
            },
            // A program is told of the best way alone, and that is known at the end.
            coming: { found throws(Failure) in if output.isForPeople { try output.showAtOnce(found) } })
        try output.finish(found)
        for match in found.matches {
            // Where several ways led to those who are shown, each names whom it led to.
            let users =
                found.matches.count == 1 && output.count == found.users.count
                ? ""
                : ": "
                    + match.users.compactMap { output.seen($0, found).shown(found.key)?.text }.joined(separator: ", ")
            context.remark(SafeText(sentence(match) + users))
        }
        if !found.untied.isEmpty {
            context.remark(
                (["nobody found; " + SafeText(InquiryRefusal.tiedToNobody(found.untied))]
                    + found.untied.prefix(3).map { "→ " + SafeText(InquiryRefusal.shown($0)).whole }).joined(
                        separator: "\n"))
        } else if found.matches.isEmpty {
            let meant = didYouMean(Nearest.names(to: invocation.argument("TEXT") ?? "", among: found.near))
            context.remark(
                meant.map { "nobody found; " + SafeText($0) }
                    ?? (found.unsearched.isEmpty
                        ? "nobody found"
                        : "nobody found; as a part it was not looked for, since no index knows: --anywhere reads all users")
            )
        } else {
            if !found.unsearched.isEmpty {
                context.remark("not looked at: " + SafeText(found.unsearched.joined(separator: ", ")))
            }
            if found.isCut { context.remark("there are more; see --limit") }
        }
        return .done
    }
}

/// Writes the users who are found, each once.
private final class FoundOutput {
    /// People see as much of an id as every command takes for the whole.
    let isForPeople: Bool
    private(set) var count = 0
    private let context: Context
    private var writer: RecordWriter?
    private var shown: Set<Value> = []

    init(_ context: Context) {
        self.context = context
        isForPeople = context.showsScreen
    }

    /// Shows those who were found while others are looked for.
    func showAtOnce(_ found: FoundUsers) throws(Failure) {
        try show(found)
        writer?.flush()
    }

    func finish(_ found: FoundUsers) throws(Failure) {
        try show(found)
        try writer(for: found).finish(columns: found.columns)
    }

    private func show(_ found: FoundUsers) throws(Failure) {
        let writer = writer(for: found)
        for user in found.users {
            if let key = user.shown(found.key), !shown.insert(key).inserted { continue }
            try writer.write(seen(user, found))
            count += 1
        }
    }

    /// A user as those who look see one.
    func seen(_ user: Row, _ found: FoundUsers) -> Row { isForPeople ? user.shortening(found.key) : user }

    private func writer(for found: FoundUsers) -> RecordWriter {
        if let writer { return writer }
        // Whoever was found is typed next, and two may share an address.
        let columns = found.shown.isEmpty || found.shown.contains(found.key) ? found.shown : [found.key] + found.shown
        let writer = RecordWriter(context, key: found.key, shown: columns, whole: found.whole)
        self.writer = writer
        return writer
    }
}

extension Row {
    /// The row with the beginning of an id that is a uuid.
    func shortening(_ key: String) -> Row {
        Row(
            columns: columns,
            values: zip(columns, values).map { column, value in
                column.name == key && column.type == .uuid ? Value(value.text.map { String($0.prefix(8)) }) : value
            })
    }
}

/// Of names that led to somebody, so many are said.
private let mostValues = 3

/// Which way led to whoever was found.
private func sentence(_ match: FoundUsers.Match) -> String {
    switch match.way {
    case .id: return "found by id"
    case .address: return "found by address"
    case .prefix: return "found by the beginning of \(columns(of: match))"
    case .anywhere: return "found by a part of \(columns(of: match))"
    case .object:
        var ways: [(kind: String, values: [String])] = []
        for through in match.through {
            let kind = [through.noun, through.column].compactMap { $0 }.joined(separator: " ")
            let index = ways.firstIndex { $0.kind == kind } ?? ways.endIndex
            if index == ways.endIndex { ways.append((kind, [])) }
            if !ways[index].values.contains(through.value) { ways[index].values.append(through.value) }
        }
        let told = ways.map { kind, values in
            let rest = values.count - mostValues
            return "\(kind) " + values.prefix(mostValues).joined(separator: ", ")
                + (rest > 0 ? " and \(rest) more" : "")
        }
        return "found by " + told.joined(separator: ", ")
    }
}

/// In which columns of users somebody was found, where their names are facts that can be seen.
private func columns(of match: FoundUsers.Match) -> String {
    let names = match.through.compactMap(\.column)
    if names.isEmpty { return "a name, an address or an id" }
    return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
}

extension Option {
    static func limit(standard: String? = nil) -> Option {
        Option(
            long: "limit", value: .init(placeholder: "N", kind: .integer(1...1_000_000_000), standard: standard),
            summary: "At most so many.")
    }
}
