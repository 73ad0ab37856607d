import Asking
import Catalog
import CommandLine
import Inquiries
import PQ
import Synchronization

/// The users that a command line names.
enum FleetUsers {
    /// The words for them; where they are read from a file or from standard input, nobody knows their databases.
    static func named(in invocation: Invocation, _ verb: Verb) throws(Failure) -> [String] {
        let command = invocation.command
        let isFromElsewhere = command.options.contains {
            !$0.supplies.isEmpty && $0.value?.kind == .file && invocation.option($0.long) != nil
        }
        var words = command.arguments.filter { isUser($0.kind) }.flatMap { invocation.arguments($0.name) }
        words += command.options.filter { $0.value.map { isUser($0.kind) } ?? false }.flatMap {
            invocation.options($0.long)
        }
        guard !isFromElsewhere, !words.contains("-") || verb.reach == .holder else {
            throw Failure(
                .usage, "users that are read from elsewhere are of one database",
                hint: "choose it with --member NAME")
        }
        return words.filter { $0 != "-" }
    }

    private static func isUser(_ kind: ValueKind) -> Bool { kind == .user || kind == .named("user") }
}

extension Invocation {
    /// The same for some of the users that it names.
    func naming(_ users: [String]) -> Invocation {
        var invocation = self
        for argument in command.arguments where argument.kind == .user {
            invocation.arguments[argument.name] = arguments(argument.name).filter { users.contains($0) }
        }
        return invocation
    }
}

/// Which databases a server says that it has; the same for every way that leads to one.
enum Identity {
    /// The cluster and the database in it; nil where the server does not tell.
    static func of(_ connection: Connection, timeout: Double) throws(Failure) -> String? {
        do throws(PQError) {
            let answer = try connection.pipeline([[Query(file: "catalog/identity.sql")]], timeout: timeout)[0][0]
            return try? answer.get().only().text("identity")
        } catch {
            throw Failure(error)
        }
    }
}

/// The members of a fleet that have certain users.
struct Holders {
    /// The members that have any of them, and whom.
    let found: [(member: Member, users: [String], keys: [String])]
    /// Users whom no member has that answered.
    let nowhere: [String]
    /// The members that could not be asked.
    let unanswered: [(member: Member, failure: Failure)]

    /// A line for each user at each of them.
    var details: [String] {
        found.flatMap { holder in
            zip(holder.users, holder.keys).map { "\(holder.member.name): \($0)" + ($0 == $1 ? "" : "  \($1)") }
        }
    }

    private struct Answer: Sendable {
        let identity: String?
        /// The key of each user that is there.
        var keys: [String: String] = [:]
    }

    /// Asks all members, side by side.
    static func find(_ users: [String], in fleet: Fleet, _ context: Context) throws(Failure) -> Holders {
        let held = Shared()
        let (options, screen, grammar) = (context.options, context.screen, context.grammar)
        let crew = try Crew(pieces: fleet.members.count) { index, stop in
            let member = fleet.members[index]
            var options = options.at(member)
            options.noInput = true
            options.isQuiet = true
            let context = Context(
                options: options, screen: screen, workplace: Workplace(cancellation: stop),
                grammar: grammar)
            let result: Result<Answer, Failure>
            do throws(Failure) { result = .success(try ask(for: users, context)) } catch { result = .failure(error) }
            held.answers.withLock { $0[member] = result }
        }
        crew.wait()
        if Cancellation.interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; nobody knows yet where these users are")
        }
        return Holders(held.answers.withLock { $0 }, of: fleet, users, context)
    }

    private final class Shared: Sendable {
        let answers = Mutex<[Member: Result<Answer, Failure>]>([:])
    }

    private static func ask(for users: [String], _ context: Context) throws(Failure) -> Answer {
        let connection = try context.connection()
        var answer = Answer(identity: try Identity.of(connection, timeout: context.options.timeout))
        for user in users {
            do throws(Failure) {
                answer.keys[user] = try Inquiry.person(
                    user, on: connection, candidates: try context.candidates(),
                    options: InquiryOptions(timeout: context.options.timeout)
                ).key
            } catch {
                switch error.kind {
                case .notFound: break
                // Several of one database are told apart by the command itself.
                case .conflict: answer.keys[user] = user
                default: throw error
                }
            }
        }
        return answer
    }

    private init(
        _ answers: [Member: Result<Answer, Failure>], of fleet: Fleet, _ users: [String], _ context: Context
    ) {
        var found: [(member: Member, users: [String], keys: [String])] = []
        var unanswered: [(member: Member, failure: Failure)] = []
        var seen: [String: Member] = [:]
        for member in fleet.members {
            switch answers[member] {
            case .failure(let failure)?: unanswered.append((member, failure))
            case .success(let answer)?:
                if let identity = answer.identity {
                    if let other = seen[identity] {
                        context.say(member, isAlso: other)
                        continue
                    }
                    seen[identity] = member
                }
                let here = users.filter { answer.keys[$0] != nil }
                if !here.isEmpty { found.append((member, here, here.compactMap { answer.keys[$0] })) }
            case nil: unanswered.append((member, Failure(.failed, "it was not asked")))
            }
        }
        self.found = found
        self.unanswered = unanswered
        nowhere = users.filter { user in !found.contains { $0.users.contains(user) } }
    }
}
