import Asking
package import CommandLine

/// One thing an operator can do: how it is written, and what it does.
package struct Verb: Sendable {
    package let command: Command
    /// Whether it can be asked for, with --ask, of somebody who may do it.
    let isAskable: Bool
    let run: @Sendable (Invocation, Context) throws(Failure) -> ExitStatus

    /// A verb of the grammar and its work.
    init(
        _ command: Command, isAskable: Bool = false,
        run: @escaping @Sendable (Invocation, Context) throws(Failure) -> ExitStatus
    ) {
        self.command = command
        self.isAskable = isAskable
        self.run = run
    }
}
