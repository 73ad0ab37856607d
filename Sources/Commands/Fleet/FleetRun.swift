import Asking
import CommandLine
import PQ
import Synchronization
import Terminal

/// Runs one command over a fleet: by the side of each other, or at the one member that has the user.
///
/// A member gets the command as it is, with a context of its own; nothing below knows of fleets.
struct FleetRun {
    let fleet: Fleet
    let verb: Verb
    let invocation: Invocation
    let context: Context
    /// Runs a command at one member, on the screen and with whoever may be asked.
    let pinned: (Invocation, Member) -> ExitStatus
    /// Says what went wrong, and of which members.
    let fail: (Failure, _ members: [Member]) -> ExitStatus

    func perform() -> ExitStatus {
        do throws(Failure) { return try run() } catch { return fail(error, []) }
    }

    private func run() throws(Failure) -> ExitStatus {
        if context.options.member != nil, fleet.members.count == 1 { return pinned(invocation, fleet.members[0]) }
        if let named = try Named.read(invocation, verb) {
            if let member = remembered(named) { return pinned(invocation, member) }
            let holders = try Holders.find(named, in: fleet, context)
            let isOfEvery = verb.reach == .everyHolder && named.kind == .user
            return isOfEvery ? try atHolders(holders) : try atHolder(of: named, holders)
        }
        guard invocation.grade == .read else {
            throw Failure(
                .usage, "`\(invocation.command.name)` changes one database, and nothing says which",
                hint: "--member NAME: \(Fleet.list(fleet.members))")
        }
        if let format = context.options.findingsFormat {
            throw Failure(
                .usage, "-o \(format.rawValue) is about one \(fleet.noun)", hint: "choose one with --member NAME")
        }
        return try each(fleet.members.map { ($0, invocation) })
    }

    /// The member of the user whom the session is about.
    private func remembered(_ named: Named) -> Member? {
        guard let session = context.session, let name = session.member, named.kind == .user,
            named.words == [session.user]
        else { return nil }
        return fleet.members.first { $0.name == name }
    }

    // MARK: One member

    private func atHolder(of named: Named, _ holders: Holders) throws(Failure) -> ExitStatus {
        let isReading = invocation.grade == .read
        let meant = named.words.count == 1 ? named.words[0] : "these \(named.kind.rawValue)s"
        if let word = holders.nowhere.first {
            guard holders.unanswered.isEmpty else {
                tell(holders)
                throw Failure(
                    .partial, "\(word) is not in the \(fleet.noun)s that answered", nothing: isReading ? nil : .changed)
            }
            throw Failure(
                .notFound, "no such \(named.kind.rawValue) in \(fleet.members.count.of(fleet.noun)): \(word)")
        }
        guard holders.found.count == 1, let member = holders.found.first?.member else {
            throw Failure(
                .conflict,
                named.words.count == 1
                    ? "\(meant) is in \(holders.found.count) \(fleet.noun)s" : "\(meant) are in several \(fleet.noun)s",
                nothing: isReading ? nil : .changed, hint: "--member NAME says which is meant",
                details: holders.details)
        }
        if !isReading, let silent = holders.unanswered.first {
            throw Failure(
                silent.failure.kind,
                "\(Fleet.list(holders.unanswered.map(\.member))) did not answer, and could have \(meant) too",
                nothing: .changed,
                hint: "--member \(quoteWord(member.name)) says that \(member.name) is meant")
        }
        context.remark(SafeText(named.words.joined(separator: ", ")) + " is in " + SafeText(member.name) + ".")
        let status = pinned(invocation, member)
        tell(holders)
        return status == .done && !holders.unanswered.isEmpty ? .partial : status
    }

    private func tell(_ holders: Holders) {
        for (member, failure) in holders.unanswered { _ = fail(failure, [member]) }
    }

    // MARK: Those who have a user

    private func atHolders(_ holders: Holders) throws(Failure) -> ExitStatus {
        let isReading = invocation.grade == .read
        if let user = holders.nowhere.first, holders.unanswered.isEmpty {
            throw Failure(.notFound, "no such user in \(fleet.members.count.of(fleet.noun)): \(user)")
        }
        let pieces = holders.found.map { ($0.member, invocation.naming($0.words)) }
        tell(holders)
        if isReading {
            let status = pieces.isEmpty ? ExitStatus.partial : try each(pieces)
            return status == .done && !holders.unanswered.isEmpty ? .partial : status
        }
        guard holders.unanswered.isEmpty else {
            throw Failure(
                .partial, "not every database answered, and those that did not may hold the account too",
                nothing: .deleted, hint: "--only LABELS or --member NAME leave them out")
        }
        // A file has the name of its database, however many have an account that is left.
        if pieces.count == 1 { return pinned(pieces[0].1.writing(for: pieces[0].0), pieces[0].0) }
        return try FleetDeletion(run: self, holders: holders).perform()
    }

    // MARK: Side by side

    /// Runs commands at their members, and writes what they write as it comes.
    func each(
        _ pieces: [(member: Member, invocation: Invocation)], width: Int = Crew.width, isSilent: Bool = false,
        isTrial: Bool = false,
        adjusting adjust: @escaping @Sendable (inout GlobalOptions, Member) -> Void = { _, _ in }
    ) throws(Failure) -> ExitStatus {
        let gathering = Gathering()
        let (verb, options, screen, grammar) = (verb, context.options, context.screen, context.grammar)
        let (isConsole, session, failures) = (context.isConsole, context.session, fleet.failures)
        let work: @Sendable (Int, Workplace) -> Void = { index, workplace in
            let (member, invocation) = pieces[index]
            var options = options.at(member, for: invocation)
            options.noInput = true
            adjust(&options, member)
            if let failure = failures[member] { return gathering.put(.ended(.failure(failure)), of: member) }
            let place = MemberScreen(screen, gathering, member)
            let context = Context(
                options: options, screen: place, workplace: workplace, grammar: grammar, isConsole: isConsole,
                session: session, gathering: gathering)
            let result = Self.run(verb, invocation, context)
            place.close()
            gathering.put(.ended(result), of: member)
        }
        let involved = Fleet(members: pieces.map(\.member), isOfSchemas: fleet.isOfSchemas)
        let output = GatheredOutput(context, of: involved, isSilent: isSilent)
        try Crew(pieces: pieces.count, width: width, work: work).wait {
            output.take(gathering.take())
            if context.showsProgress { progress(output, of: involved.members) }
        }
        try output.end()
        return conclude(output.ends, of: involved.members, isTrial: isTrial)
    }

    /// The result of the command at one member.
    private static func run(
        _ verb: Verb, _ invocation: Invocation, _ context: Context
    ) -> Result<ExitStatus, Failure> {
        do throws(Failure) {
            let status = try verb.run(invocation, context)
            context.writeFootings()
            if invocation.grade != .read, !context.options.isDryRun { context.workplace.seal(context.inquiry) }
            return .success(status)
        } catch {
            context.writeFootings(hasFailed: true)
            return .failure(error)
        }
    }

    private func progress(_ output: GatheredOutput, of members: [Member]) {
        let left = members.count - output.ends.count
        guard members.count > 1, let first = members.first(where: { output.ends[$0.name] == nil }) else { return }
        let done = "\(output.ends.count) of \(members.count)"
        context.screen.status(
            SafeText("\(done); waiting for \(first.name)" + (left > 1 ? " and \(left - 1) more" : "")))
    }

    /// What it all came to: done where all are, a part where a member failed and others did not.
    private func conclude(
        _ ends: [String: Result<ExitStatus, Failure>], of members: [Member], isTrial: Bool
    ) -> ExitStatus {
        var failures: [(failure: Failure, members: [Member])] = []
        var statuses: [ExitStatus] = []
        for member in members {
            guard let result = ends[member.name] else { continue }
            switch result {
            case .success(let status): statuses.append(status)
            case .failure(let failure):
                let place = failures.firstIndex { $0.failure.refusal.equals(failure.refusal) }
                if let place { failures[place].members.append(member) } else { failures.append((failure, [member])) }
            }
        }
        // What one of them has, the others need not have.
        if !statuses.isEmpty { failures.removeAll { $0.failure.kind == .notFound } }
        for (failure, told) in failures { _ = fail(failure, told.count == members.count && told.count > 1 ? [] : told) }
        let all = Set(statuses + failures.map(\.failure.kind.status))
        if all.contains(.interrupted) || Cancellation.interrupt.isRequested { return .interrupted }
        if all.count < 2 { return all.first ?? .done }
        // Of what is only tried, or came to nothing anywhere, there is no part.
        if isTrial || invocation.grade != .read && statuses.isEmpty, let first = failures.first {
            return first.failure.kind.status
        }
        let silent = failures.flatMap(\.members)
        guard silent.isEmpty else {
            return fail(
                Failure(
                    .partial,
                    "\(silent.count) of \(members.count.of(fleet.noun)) missing: \(Fleet.list(silent))"), [])
        }
        if all.contains(.partial) || all.contains(.connection) { return .partial }
        return statuses.first { $0 != .done } ?? .done
    }
}
