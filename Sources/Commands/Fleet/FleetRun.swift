import Accounts
import AppFile
import Asking
import Changes
import CommandLine
import PQ
import Terminal

/// Runs one command over a fleet: at each member, or at the member that has the user.
///
/// Each database has its own process, several at a time. Schemas share one connection, one after the other. A change
/// runs in this process, because usher may ask for confirmation.
struct FleetRun {
    let fleet: Fleet
    /// The value of `--fleet` for other processes; nil if the members are schemas of one database.
    let name: String?
    let verb: Verb
    let invocation: Invocation
    let context: Context
    /// Runs a command at one member in this process; without a screen of its own, the command can ask questions.
    let runAtMember: (Invocation, Member, RecordingScreen?) -> ExitStatus
    let fail: (Failure) -> ExitStatus

    /// The number of processes at a time, low enough for the connection limit of a pooler.
    static let width = 8

    func perform() -> ExitStatus {
        do throws(Failure) { return try run() } catch { return fail(error) }
    }

    private func run() throws(Failure) -> ExitStatus {
        if context.options.member != nil, fleet.members.count == 1 {
            return runAtMember(invocation, fleet.members[0], nil)
        }
        if let named = try TargetReference.named(by: invocation, verb) {
            if let member = remembered(named) { return runAtMember(invocation, member, nil) }
            let matches = try MembersWithTarget.find(named, in: self)
            if let word = matches.nowhere.first, matches.unanswered.isEmpty {
                throw Failure(
                    .notFound, "no such \(named.kind.rawValue) in \(fleet.members.count.of(fleet.noun)): \(word)",
                    hint: named.kind == .user ? "`usher user find TEXT` searches for users" : nil)
            }
            let isOfEvery = verb.fleetScope == .membersWithTarget && named.kind == .user
            return isOfEvery ? try runAtMatches(matches) : try runAtMatch(of: named, matches)
        }
        guard invocation.isReading else {
            throw Failure(
                .usage, "`\(invocation.command.name)` changes one database, so it needs --member",
                hint: "choose a database with --member NAME: \(Fleet.list(fleet.members))")
        }
        if let format = context.options.findingsFormat {
            throw Failure(
                .usage, "-o \(format.rawValue) works with one \(fleet.noun), not with several",
                hint: "choose a \(fleet.noun) with --member NAME")
        }
        return each(fleet.members.map { ($0, invocation) })
    }

    private func remembered(_ named: TargetReference) -> Member? {
        guard let consoleState = context.consoleState, let name = consoleState.member, named.kind == .user,
            named.words == [consoleState.user]
        else { return nil }
        return fleet.member(name)
    }

    // MARK: One member

    private func runAtMatch(of named: TargetReference, _ matches: MembersWithTarget) throws(Failure) -> ExitStatus {
        let meant = named.words.count == 1 ? named.words[0] : "these \(named.kind.rawValue)s"
        if let word = matches.nowhere.first {
            context.writeErrors(of: matches.unanswered)
            throw Failure(
                .partial, "\(word) is not in the \(fleet.noun)s that answered",
                nothing: invocation.isReading ? nil : .changed)
        }
        guard matches.found.count == 1, let member = matches.found.first?.member else {
            throw Failure(
                .conflict,
                named.words.count == 1
                    ? "\(meant) is in \(matches.found.count) \(fleet.noun)s" : "\(meant) are in several \(fleet.noun)s",
                nothing: invocation.isReading ? nil : .changed, hint: "choose a \(fleet.noun) with --member NAME",
                details: matches.details)
        }
        if !invocation.isReading, let silent = matches.unanswered.first {
            throw Failure(
                silent.status == .connection ? .connection : .failed,
                "\(Fleet.list(matches.unanswered.map(\.member))) did not answer, so usher can't tell if they also have \(meant)",
                nothing: .changed,
                hint: "add --member \(quoteWord(member.name)) to change \(meant) in \(member.name) only")
        }
        context.remark(SafeText(named.words.joined(separator: ", ")) + " is in " + SafeText(member.name) + ".")
        let status = runAtMember(invocation, member, nil)
        context.writeErrors(of: matches.unanswered)
        return status == .done && !matches.unanswered.isEmpty ? .partial : status
    }

    // MARK: Members that have a user

    private func runAtMatches(_ matches: MembersWithTarget) throws(Failure) -> ExitStatus {
        let pieces = matches.found.map { ($0.member, invocation.naming($0.words)) }
        context.writeErrors(of: matches.unanswered)
        if invocation.isReading {
            let status = pieces.isEmpty ? ExitStatus.partial : each(pieces)
            return status == .done && !matches.unanswered.isEmpty ? .partial : status
        }
        guard matches.unanswered.isEmpty else {
            throw Failure(
                .partial,
                "\(Fleet.list(matches.unanswered.map(\.member))) did not answer, so usher can't tell if they also have the account",
                nothing: .deleted,
                hint: "to continue without these databases, choose the others with `--only` or `--member`")
        }
        // The archive's name contains the database, even if only one database still has the account.
        if pieces.count == 1 { return runAtMember(pieces[0].1.writing(for: pieces[0].0), pieces[0].0, nil) }
        return try delete(at: matches)
    }

    /// Deletes the accounts of one user, or of several, in every database that has them.
    ///
    /// The operator confirms once for all databases. Each database logs an operation of its own.
    ///
    /// usher tries the deletion in every database before it asks for confirmation. To continue after an interruption,
    /// the operator runs the same command again; usher then finds only users who are not deleted yet.
    private func delete(at matches: MembersWithTarget) throws(Failure) -> ExitStatus {
        let pieces = matches.found.map { match in
            (member: match.member, invocation: invocation.naming(match.words).writing(for: match.member))
        }
        // The preview below writes no archive, so it doesn't notice an existing file.
        for archive in pieces.compactMap({ $0.invocation.option("archive") }) {
            try PrivateFile.requireNone(at: archive)
        }
        let isShown = context.showsScreen || context.options.isDryRun
        let tried = each(pieces.map { ($0.member, $0.invocation.tried) }, isSilent: !isShown, isTrial: true)
        if context.options.isDryRun { return tried }
        guard tried == .done else {
            let what: SafeText = context.options.asks ? "requested" : "deleted"
            context.remark("Nothing was " + what + " in any of the databases.")
            return tried
        }
        // A requester doesn't confirm; the approver confirms.
        if !context.options.asks { try confirm(matches) }
        let confirmed = zip(pieces, matches.found).map { piece, match in
            var invocation = piece.invocation
            // The operator can name a user in several ways, but --confirm always accepts the key.
            invocation.options["confirm"] = match.keys.count == 1 ? match.keys : ["\(match.words.count)"]
            return (piece.member, invocation)
        }
        let status = each(confirmed, width: 1)
        if status != .done { context.remark("Run the same command again to continue.") }
        return status
    }

    private func confirm(_ matches: MembersWithTarget) throws(Failure) {
        let users = Set(matches.found.flatMap(\.words))
        let names = Fleet.list(matches.found.map(\.member))
        var options = context.options
        // To confirm the deletion, the operator must see the plans on the terminal.
        if !context.showsScreen || !context.screen.isTerminal { options.refuseQuestions() }
        let confirmation = Confirmation(.severe, of: users.count, names: Array(users))
        try confirmation.ask(
            options, .init(typed: "to delete the accounts in " + SafeText(names), nothing: .deleted),
            showing: context.screen.flush)
    }

    // MARK: Each member

    func each(
        _ pieces: [(member: Member, invocation: Invocation)], width: Int = Self.width, isSilent: Bool = false,
        isTrial: Bool = false
    ) -> ExitStatus {
        let output = FleetOutput(context, isSilent: isSilent)
        run(pieces, width: width, into: output)
        output.end()
        return conclude(output, isTrial: isTrial)
    }

    func run(
        _ pieces: [(member: Member, invocation: Invocation)], width: Int = Self.width, into output: FleetOutput
    ) {
        guard let name else {
            for (index, (member, invocation)) in pieces.enumerated() {
                progress(index, of: pieces.map(\.member))
                let screen = RecordingScreen(width: context.screen.width, drawsUnicode: context.screen.drawsUnicode)
                let isStopped = Cancellation.interrupt.isRequested
                let status = isStopped ? .interrupted : runAtMember(invocation, member, screen)
                output.write(screen.bytes, of: member)
                output.end(member, status, errors: screen.err)
            }
            return context.screen.status(nil)
        }
        var processes: [MemberProcess?] = []
        var interrupts = 0
        for (turn, piece) in pieces.enumerated() {
            while processes.count < min(turn + width, pieces.count) {
                let (member, invocation) = pieces[processes.count]
                let isStopped = Cancellation.interrupt.isRequested || context.screen.outputState != .open
                processes.append(isStopped ? nil : MemberProcess(words(for: invocation, of: name, at: member)))
            }
            progress(turn, of: pieces.map(\.member))
            guard let process = processes[turn] else {
                output.end(piece.member, Cancellation.interrupt.isRequested ? .interrupted : .failed, errors: "")
                continue
            }
            let (status, errors) = process.finish {
                let requests = Cancellation.interrupt.count
                if interrupts < requests || context.screen.outputState != .open {
                    processes.forEach { $0?.interrupt() }
                    interrupts = requests
                }
            } written: { bytes in
                output.write(bytes, of: piece.member)
            }
            processes[turn] = nil
            output.end(piece.member, status, errors: errors)
        }
        context.screen.status(nil)
    }

    private func words(for invocation: Invocation, of name: String, at member: Member) -> [String] {
        let globals = context.grammar.globals
        var piece = invocation
        for option in globals where piece.options[option.long] == nil && piece.accepts(option) {
            piece.options[option.long] = context.options.given[option.long]
        }
        (piece.options["fleet"], piece.options["member"]) = ([name], [member.name])
        for option in ["db", "only"] { piece.options[option] = nil }
        for option in ["no-input", "no-pager", "no-progress"] { piece.options[option] = ["true"] }
        return piece.words(globals: globals)
    }

    private func progress(_ done: Int, of members: [Member]) {
        guard context.showsProgress, members.count > 1 else { return }
        context.screen.status(SafeText("\(done) of \(members.count); waiting for \(members[done].name)"))
    }

    /// The status of the whole command: done if all members are done, partial if only some members failed.
    private func conclude(_ output: FleetOutput, isTrial: Bool) -> ExitStatus {
        let answers = output.ends.filter(\.isAnswer)
        // If one member has the user, operation or request, usher doesn't report the other members.
        let reported = output.ends.filter { $0.isAnswer || answers.isEmpty || $0.status != .notFound }
        context.writeErrors(of: reported)
        let failures = reported.filter { !$0.isAnswer }
        let all = Set(reported.map(\.status))
        if all.contains(.interrupted) || Cancellation.interrupt.isRequested { return .interrupted }
        if all.count < 2 { return all.first ?? .done }
        // If the dry run of a deletion failed, or a change failed at all members, the first failure decides the status.
        if isTrial || !invocation.isReading && answers.isEmpty, let first = failures.first { return first.status }
        guard failures.isEmpty else {
            return fail(
                Failure(
                    .partial,
                    "no result from \(failures.count) of \(output.ends.count.of(fleet.noun)): "
                        + Fleet.list(failures.map(\.member))))
        }
        if all.contains(.partial) { return .partial }
        return reported.map(\.status).first { $0 != .done } ?? .done
    }
}

extension Invocation {
    /// The command with a separate archive file for the member.
    func writing(for member: Member) -> Invocation {
        var invocation = self
        if let path = option("archive") { invocation.options["archive"] = ["\(path).\(member.name)"] }
        return invocation
    }

    /// The command as a dry run, without an archive and without `--confirm`, which belongs to the deletion itself.
    fileprivate var tried: Invocation {
        var invocation = self
        for name in ["archive", "confirm"] { invocation.options[name] = [] }
        invocation.options["dry-run"] = ["true"]
        return invocation
    }
}
