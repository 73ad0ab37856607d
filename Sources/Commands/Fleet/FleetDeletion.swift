import Accounts
import AppFile
import Asking
import Changes
import CommandLine
import PQ
import Terminal

/// Deletes the accounts of one user, or of several, in every database that has them.
///
/// The operator confirms once for all databases. Each database logs an operation of its own.
///
/// usher tries the deletion in every database before it asks for confirmation. To continue after an interruption, the
/// operator runs the same command again; usher then finds only users who are not deleted yet.
struct FleetDeletion {
    let run: FleetRun
    let matches: MembersWithTarget

    private var context: Context { run.context }

    func perform() throws(Failure) -> ExitStatus {
        let pieces = matches.found.map { match in
            (member: match.member, invocation: run.invocation.naming(match.words).writing(for: match.member))
        }
        // The preview below writes no archive, so it doesn't notice an existing file.
        for archive in pieces.compactMap({ $0.invocation.option("archive") }) {
            try PrivateFile.requireNone(at: archive)
        }
        let isShown = context.showsScreen || context.options.isDryRun
        let tried = run.each(pieces.map { ($0.member, $0.invocation.tried) }, isSilent: !isShown, isTrial: true)
        if context.options.isDryRun { return tried }
        guard tried == .done else {
            let what: SafeText = context.options.asks ? "requested" : "deleted"
            context.remark("Nothing was " + what + " in any of the databases.")
            return tried
        }
        // A requester doesn't confirm; the approver confirms.
        if !context.options.asks { try confirm() }
        let confirmed = zip(pieces, matches.found).map { piece, match in
            var invocation = piece.invocation
            // The operator can name a user in several ways, but --confirm always accepts the key.
            invocation.options["confirm"] = match.keys.count == 1 ? match.keys : ["\(match.words.count)"]
            return (piece.member, invocation)
        }
        let status = run.each(confirmed, width: 1)
        if status != .done { context.remark("Run the same command again to continue.") }
        return status
    }

    private func confirm() throws(Failure) {
        let users = Set(matches.found.flatMap(\.words))
        let names = Fleet.list(matches.found.map(\.member))
        var options = context.options
        // To confirm the deletion, the operator must see the plans on the terminal.
        if !context.showsScreen || !context.screen.isTerminal { options.noInput = true }
        let confirmation = Confirmation(.severe, answers: users.count == 1 ? Array(users) : ["\(users.count)"])
        try confirmation.ask(
            options, .init(typed: "to delete the accounts in " + SafeText(names), nothing: .deleted),
            showing: context.screen.flush)
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
