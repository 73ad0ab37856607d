import Asking
import Catalog
import CommandLine
import Inquiries
import Ledger
import PQ
import Synchronization

/// What a command line names that one database has and another has not.
struct Named {
    enum Kind: String { case user, operation, request }

    let kind: Kind
    let words: [String]

    /// The users that a command is about, else the operation or the request; nil where it names none.
    ///
    /// Where users are read from a file or from standard input, nobody knows their databases.
    static func read(_ invocation: Invocation, _ verb: Verb) throws(Failure) -> Named? {
        let command = invocation.command
        let isFromElsewhere = command.options.contains {
            !$0.supplies.isEmpty && $0.value?.kind == .file && invocation.option($0.long) != nil
        }
        var users = words(.user, of: invocation)
        guard !isFromElsewhere, !users.contains("-") || verb.reach == .holder else {
            throw Failure(
                .usage, "users that are read from elsewhere are of one database",
                hint: "choose it with --member NAME")
        }
        users.removeAll { $0 == "-" }
        if !users.isEmpty { return Named(kind: .user, words: users) }
        for kind in [Kind.operation, .request] {
            let words = words(kind, of: invocation)
            if !words.isEmpty { return Named(kind: kind, words: words) }
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

extension Named.Kind {
    fileprivate func takes(_ value: ValueKind) -> Bool {
        value == .named(rawValue) || self == .user && value == .user
    }

    /// The key of what is named so in a database.
    fileprivate func key(
        of word: String, on connection: Connection, _ context: Context, _ options: InquiryOptions
    ) throws(Failure) -> String {
        switch self {
        case .user:
            try Inquiry.person(word, on: connection, candidates: try context.candidates(), options: options).key
        case .operation: try Audit.operation(word, on: connection, options: options).id
        case .request: try FiledRequest.named(word, on: connection, options: options).id
        }
    }
}

extension Invocation {
    /// The app that it is about itself, whatever was chosen for all commands.
    var app: String? {
        command.arguments.first { $0.kind == .app && $0.arity == .optional }.flatMap { argument($0.name) }
    }

    /// Why it changes nothing where customers have schemas of their own.
    var refusalOverSchemas: Failure {
        Failure(
            .refused, "`\(command.name)` is not for an app with a schema for each customer, which is only read",
            nothing: .changed, hint: "what is changed needs a file that names its schema, without @schema")
    }

    /// The same for some of the users that it names.
    func naming(_ users: [String]) -> Invocation {
        var invocation = self
        for argument in command.arguments where argument.kind == .user {
            invocation.arguments[argument.name] = arguments(argument.name).filter { users.contains($0) }
        }
        return invocation
    }
}

/// The members of a fleet that have what is named.
struct Holders {
    /// The members that have any of it, and what.
    let found: [(member: Member, words: [String], keys: [String])]
    /// What no member has that answered.
    let nowhere: [String]
    /// The members that could not be asked.
    let unanswered: [(member: Member, failure: Failure)]

    /// A line for each word at each of them.
    var details: [String] {
        found.flatMap { holder in
            zip(holder.words, holder.keys).map { "\(holder.member.name): \($0)" + ($0 == $1 ? "" : "  \($1)") }
        }
    }

    /// Asks all members, side by side.
    static func find(_ named: Named, in fleet: Fleet, _ context: Context) throws(Failure) -> Holders {
        let held = Shared()
        let (options, screen, grammar, failures) = (context.options, context.screen, context.grammar, fleet.failures)
        let crew = try Crew(pieces: fleet.members.count) { index, workplace in
            let member = fleet.members[index]
            if let failure = failures[member] { return held.answers.withLock { $0[member] = .failure(failure) } }
            var options = options.at(member)
            options.noInput = true
            options.isQuiet = true
            let context = Context(options: options, screen: screen, workplace: workplace, grammar: grammar)
            let result: Result<[String: String], Failure>
            do throws(Failure) { result = .success(try ask(for: named, context)) } catch { result = .failure(error) }
            held.answers.withLock { $0[member] = result }
        }
        crew.wait()
        if Cancellation.interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; nobody knows yet which database is meant")
        }
        return Holders(held.answers.withLock { $0 }, of: fleet, named.words)
    }

    private final class Shared: Sendable {
        let answers = Mutex<[Member: Result<[String: String], Failure>]>([:])
    }

    /// The key of each word that means something in a database.
    private static func ask(for named: Named, _ context: Context) throws(Failure) -> [String: String] {
        let connection = try context.connection()
        let options = InquiryOptions(timeout: context.options.timeout)
        var keys: [String: String] = [:]
        for word in named.words {
            do throws(Failure) {
                keys[word] = try named.kind.key(of: word, on: connection, context, options)
            } catch {
                // Where there is no ledger, nothing stands in it.
                if case .noLedger? = error.refusal as? LedgerRefusal { continue }
                switch error.kind {
                case .notFound: break
                // Several of one database are told apart by the command itself.
                case .conflict: keys[word] = word
                default: throw error
                }
            }
        }
        return keys
    }

    private init(
        _ answers: [Member: Result<[String: String], Failure>], of fleet: Fleet, _ words: [String]
    ) {
        var found: [(member: Member, words: [String], keys: [String])] = []
        var unanswered: [(member: Member, failure: Failure)] = []
        for member in fleet.members {
            switch answers[member] {
            case .failure(let failure)?: unanswered.append((member, failure))
            case .success(let keys)?:
                let here = words.filter { keys[$0] != nil }
                if !here.isEmpty { found.append((member, here, here.compactMap { keys[$0] })) }
            case nil: unanswered.append((member, Failure(.failed, "it was not asked")))
            }
        }
        self.found = found
        self.unanswered = unanswered
        nowhere = words.filter { word in !found.contains { $0.words.contains(word) } }
    }
}
