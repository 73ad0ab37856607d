import Asking
package import CommandLine

/// One thing an operator can do: how it is written, and what it does.
package struct Verb: Sendable {
    package let command: Command
    let run: @Sendable (Invocation, Context) throws(Failure) -> ExitStatus

    /// A verb of the grammar and its work.
    init(_ command: Command, run: @escaping @Sendable (Invocation, Context) throws(Failure) -> ExitStatus) {
        self.command = command
        self.run = run
    }
}
