import Asking
import Catalog
import CommandLine
import Inquiries
import Ledger
import PQ
import Terminal

/// The users, operations or requests that a command names.
struct TargetReference {
    enum Kind: String { case user, operation, request }

    let kind: Kind
    let words: [String]

    /// The users that a command names, or else its operation or request; nil if the command names no target.
    ///
    /// usher doesn't search the fleet for users from a file or standard input; the command then needs `--member`.
    static func named(by invocation: Invocation, _ verb: Verb) throws(Failure) -> TargetReference? {
        let command = invocation.command
        let isFromElsewhere = command.options.contains {
            !$0.supplies.isEmpty && $0.value?.kind == .file && invocation.option($0.long) != nil
        }
        var users = words(.user, of: invocation)
        guard !isFromElsewhere, !users.contains("-") || verb.fleetScope == .memberWithTarget else {
            throw Failure(
                .usage, "usher doesn't search a fleet for users from a file or standard input",
                hint: "choose the database with --member NAME")
        }
        users.removeAll { $0 == "-" }
        if !users.isEmpty { return TargetReference(kind: .user, words: users) }
        for kind in [Kind.operation, .request] {
            let words = words(kind, of: invocation)
            if !words.isEmpty { return TargetReference(kind: kind, words: words) }
        }
        return nil
    }

    private static func words(_ kind: Kind, of invocation: Invocation) -> [String] {
        let command = invocation.command
        return command.arguments.filter { kind.takes($0.kind) }.flatMap { invocation.arguments($0.name) }
            + command.options.filter { $0.value.map { kind.takes($0.kind) } ?? false }
            .flatMap { invocation.options($0.long) }
    }
}

extension TargetReference.Kind {
    fileprivate func takes(_ value: ValueKind) -> Bool {
        value == .named(rawValue) || self == .user && value == .user
    }

    fileprivate func key(
        of word: String, on connection: Connection, _ context: Context, _ options: InquiryOptions
    ) throws(Failure) -> String {
        switch self {
        case .user:
            try Inquiry.open(
                on: connection, candidates: try context.candidates(), options: options, for: .users
            ).user(named: word).key
        case .operation where word == "last": try Verb.lastOperation(context)
        case .operation: try Audit.operation(word, on: connection, options: options).id
        case .request: try FiledRequest.named(word, on: connection, options: options).id
        }
    }
}

extension Invocation {
    /// The app that is an argument of the command, regardless of `--app`.
    var app: String? {
        command.arguments.first { $0.kind == .app && !$0.isRequired }.flatMap { argument($0.name) }
    }

    func naming(_ users: [String]) -> Invocation {
        var invocation = self
        for argument in command.arguments where argument.kind == .user {
            invocation.arguments[argument.name] = arguments(argument.name).filter { users.contains($0) }
        }
        return invocation
    }
}

struct MembersWithTarget {
    /// The members that have some of the targets, with the typed words and the keys of these targets.
    let found: [(member: Member, words: [String], keys: [String])]
    /// The typed words that no answering member has.
    let nowhere: [String]
    let unanswered: [MemberResult]

    var details: [String] {
        found.flatMap { match in
            zip(match.words, match.keys).map { "\(match.member.name): \($0)" + ($0 == $1 ? "" : "  \($1)") }
        }
    }

    static func find(_ named: TargetReference, in run: FleetRun) throws(Failure) -> MembersWithTarget {
        let question = Invocation(
            command: Verb.findTargets.command, arguments: ["KIND": [named.kind.rawValue], "WORD": named.words],
            options: ["output": ["ndjson"], "fields": [], "quiet": ["true"]])
        let output = FleetOutput(run.context, isSilent: true)
        run.run(run.fleet.members.map { ($0, question) }, into: output)
        let found = output.ends.compactMap { end -> (member: Member, words: [String], keys: [String])? in
            let rows = end.output.split(separator: UInt8(ascii: "\n")).compactMap {
                JSON(reading: String(decoding: $0, as: UTF8.self))
            }
            let keys = rows.compactMap { $0.text("key") }
            return keys.isEmpty ? nil : (end.member, rows.compactMap { $0.text("word") }, keys)
        }
        if Cancellation.interrupt.isRequested {
            throw Failure(.interrupted, "interrupted while usher searched the fleet")
        }
        let nowhere = named.words.filter { word in !found.contains { $0.words.contains(word) } }
        return MembersWithTarget(
            found: found, nowhere: nowhere, unanswered: output.ends.filter { $0.status != .done })
    }
}

extension Verb {
    /// A command for usher's own processes: prints which users, operations or requests a member has.
    static let findTargets = Command(
        "__targets", summary: "List the keys that a member of a fleet has.",
        arguments: [
            Argument("KIND", .text, summary: "user, operation or request."),
            Argument("WORD...", .text, summary: "The user, operation or request to find."),
        ], isHidden: true, traits: .reports
    ).verb { invocation, context throws(Failure) -> Void in
        guard let kind = TargetReference.Kind(rawValue: invocation.argument("KIND") ?? "") else {
            throw Failure(.usage, "the kind must be user, operation or request")
        }
        let keys = try keys(of: invocation.arguments("WORD"), kind, context)
        try RecordWriter.write(keys.map { [$0.word, $0.key] }, columns: ["word", "key"], context)
    }

    private static func keys(
        of words: [String], _ kind: TargetReference.Kind, _ context: Context
    ) throws(Failure) -> [(word: String, key: String)] {
        let connection = try context.connection()
        let options = InquiryOptions(timeout: context.options.timeout)
        var keys: [(word: String, key: String)] = []
        for word in words {
            do throws(Failure) {
                keys.append((word, try kind.key(of: word, on: connection, context, options)))
            } catch {
                // A database without an audit log contains no operations and requests.
                if error.code == Ledger.noLedger { continue }
                switch error.kind {
                case .notFound: break
                // If one database has several matches, the command itself reports the conflict.
                case .conflict: keys.append((word, word))
                default: throw error
                }
            }
        }
        return keys
    }
}
