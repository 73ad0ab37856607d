import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userFind = Command(
        "user find", summary: "Find users by id, email, name, or what they own.",
        discussion: """
            Paste the text of a ticket. usher takes these steps in order, and stops at the first step that finds a user:

              1  an exact id or email, or something that the user owns, such as an order number
              2  emails, ids and numbers inside the text
              3  the beginning of a name or an email
              4  any part of a name or an email
              5  all words of the text in any order, without accents; or else most of the words

            If usher finds no user, it suggests users whose name or email is spelled almost the same. Without a suggestion, it \
            lists the columns that it searched. In a large table, steps 4 and 5 need an index; `doctor` prints the SQL for a \
            missing index. --anywhere reads all users instead. Commands that change data need an exact match, or at least 8 characters of an id.
            """,
        arguments: [Argument("TEXT", .text, summary: "A part of an email, a name or an id; or an order number.")],
        options: [
            .limit(standard: "20"),
            Option("--anywhere", summary: "Also search without an index; this may read all users."),
        ],
        examples: [
            Example(
                "user find ada", explains: "Find users whose email or name begins with ada.",
                output: """
                    id        name          email            tier
                    034cc0f7  Ada Lovelace  ada@example.com  trial
                    """),
            Example("user find @example.org -o name", explains: "Write only the keys, for xargs."),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        let found = try UserSearch.find(
            invocation.argument("TEXT") ?? "", limit: invocation.integer("limit") ?? 20,
            anywhere: invocation.flag("anywhere"), on: try context.connection(), candidates: try context.candidates(),
            options: context.inquiry, reading: { context.remark("Reading all users; Ctrl-C stops.") })
        try write(found, context)
        for match in found.matches {
            // If users were found in several ways, the remark for each way lists its users.
            let users =
                found.matches.count == 1
                ? ""
                : ": "
                    + match.users.compactMap { user in
                        let key = user.shown(found.key)
                        return (context.showsScreen ? key?.shortened : key)?.text
                    }.joined(separator: ", ")
            let none = match.way == .someWords ? "no user has all of these words; " : ""
            context.remark(SafeText("\(none)found by \(way(of: match))\(users)"))
        }
        for remark in remarks(found) { context.remark(remark) }
        let (text, entries) = found.elsewhere
        let hints = ScreenText(context).elsewhere(entries) { $0 == "text" ? Value(text) : nil }
        for hint in hints { context.remark(hint) }
        return .done
    }
}

/// The remarks after a search: unsearched columns, further users, or similar names.
private func remarks(_ found: FoundUsers) -> [SafeText] {
    if !found.untied.isEmpty {
        let shown = found.untied.prefix(3).map { "→ " + SafeText("usher \($0.showCommand)").whole }
        return [
            (["No user found. " + SafeText(Identification.ofNobody(found.untied))] + shown).joined(separator: "\n")
        ]
    }
    let unsearched = found.unsearched.joined(separator: ", ")
    let late = found.late.map { "Not searched: " + SafeText($0.name) + ": " + SafeText($0.reason.sentence) + "." }
    guard found.matches.isEmpty else {
        return late + (unsearched.isEmpty ? [] : ["Not searched: " + SafeText(unsearched) + "."])
            + (found.isCut ? ["There are more users; see --limit."] : [])
    }
    if let meant = didYouMean(found.close) {
        return ["No user found; " + SafeText(meant)]
    }
    let searched = "No user found. Searched: " + SafeText(found.searched.joined(separator: ", ")) + "."
    if unsearched.isEmpty { return [searched] }
    return [
        searched + " Not searched, because no index helps: " + SafeText(unsearched)
            + "; add --anywhere to read all users."
    ]
}

/// Writes the found users; in JSON, each user with the way in which usher found the user.
private func write(_ found: FoundUsers, _ context: Context) throws(Failure) {
    // The next command needs the key, because two users may have the same email.
    let columns = found.shown.isEmpty || found.shown.contains(found.key) ? found.shown : [found.key] + found.shown
    let writer = RecordWriter(context, key: found.key, shown: columns, whole: found.whole)
    let ways = context.options.format.isJSON ? [Column(name: "found_by", type: .text)] : []
    for match in found.matches {
        let way = Value(way(of: match))
        for user in match.users {
            try writer.write(Row(columns: user.columns + ways, values: user.values + ways.map { _ in way }))
        }
    }
    try writer.finish(columns: found.columns + ways)
}

/// The words behind `found by`: how usher found the users.
private func way(of match: FoundUsers.Match) -> String {
    switch match.way {
    case .id: return "id"
    case .address: return "email"
    case .prefix: return "the beginning of \(columns(of: match))"
    case .anywhere: return "a part of \(columns(of: match))"
    case .words: return "words in any order, without accents"
    case .someWords: return "some of the words: \(match.through.first?.value ?? "")"
    case .object:
        return match.through.grouped { $0.kind }.map { same in
            let values = same.grouped { $0.value }.map { $0[0].value }
            return "\(same[0].kind) \(values.listed(most: 3))"
        }.joined(separator: ", ")
    }
}

/// The names of the matching columns; if they are unknown, the kinds of columns.
private func columns(of match: FoundUsers.Match) -> String {
    let names = match.through.compactMap(\.column).grouped { $0 }.map { $0[0] }
    if names.isEmpty { return "a name, an email or an id" }
    return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
}

extension Option {
    static func limit(standard: String? = nil) -> Option {
        Option("--limit N", .integer(1...1_000_000_000), standard: standard, summary: "Print at most N rows.")
    }
}
