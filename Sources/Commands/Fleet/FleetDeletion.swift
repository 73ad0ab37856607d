import AppFile
import Asking
import Changes
import CommandLine
import PQ
import Terminal

/// Deletes the accounts of one person, or of several, in every database that has them: one plan and one question, and
/// one operation in each database.
///
/// It is tried everywhere before anything is asked or done. A run that ends in between is gone on with by the same
/// command: whoever is gone somewhere is not found there any more.
struct FleetDeletion {
    let run: FleetRun
    let holders: MembersWithTarget

    private var context: Context { run.context }

    func perform() throws(Failure) -> ExitStatus {
        let pieces = holders.found.map { holder in
            (member: holder.member, invocation: run.invocation.naming(holder.words).writing(for: holder.member))
        }
        let isShown = context.showsScreen || context.options.isDryRun
        let tried = run.each(pieces.map { ($0.member, $0.invocation.tried) }, isSilent: !isShown, isTrial: true)
        if context.options.isDryRun { return tried }
        guard tried == .done else {
            let what: SafeText = context.options.asks ? "requested" : "deleted"
            context.remark("Nothing was " + what + ", in any of the databases.")
            return tried
        }
        // Whoever asks decides nothing; the one who approves is asked.
        if !context.options.asks { try confirm() }
        let confirmed = zip(pieces, holders.found).map { piece, holder in
            var invocation = piece.invocation
            // A user may be named by what is theirs; the key is always right.
            invocation.options["confirm"] = holder.keys.count == 1 ? holder.keys : ["\(holder.words.count)"]
            return (piece.member, invocation)
        }
        let status = run.each(confirmed, width: 1)
        if status != .done { context.remark("Run the same command again to continue.") }
        return status
    }

    private func confirm() throws(Failure) {
        let users = Set(holders.found.flatMap(\.words))
        let names = Fleet.list(holders.found.map(\.member))
        var options = context.options
        // Whoever did not get the plans on his terminal cannot answer for them.
        if !context.showsScreen || !context.screen.isTerminal { options.noInput = true }
        let confirmation = Confirmation(.severe, answers: users.count == 1 ? Array(users) : ["\(users.count)"])
        try confirmation.ask(
            options, .init(typed: "to delete in " + SafeText(names), nothing: .deleted),
            showing: context.screen.flush)
    }
}

extension Invocation {
    /// The options that name a file to be written.
    private static let files = ["archive", "files"]

    /// The same with a file of its own for each member, since none is ever written over.
    func writing(for member: Member) -> Invocation {
        var invocation = self
        for name in Self.files {
            if let path = option(name) { invocation.options[name] = ["\(path).\(member.name)"] }
        }
        return invocation
    }

    /// The same as a dry run, without any file and without `--confirm`, which is for the deletion itself.
    fileprivate var tried: Invocation {
        var invocation = self
        for name in Self.files + ["confirm"] { invocation.options[name] = [] }
        invocation.options["dry-run"] = ["true"]
        return invocation
    }
}
