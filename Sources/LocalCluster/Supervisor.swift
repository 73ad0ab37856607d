import Glibc
import Synchronization

/// A small shell process that holds a server as long as this process lives.
///
/// It reads a pipe whose other end only this process has. However this process ends, by `stop`, by `exit` or by
/// SIGKILL, the kernel closes that end, and the supervisor stops the server and removes the folder. It has a
/// session of its own and so outlives the terminal's Ctrl-C, and the server with it.
final class Supervisor: Sendable {
    private let folder: String
    private let state: Mutex<State>

    private struct State {
        /// Our end of the pipe; nil once it is closed.
        var pipe: Int32?
        /// The shell; nil once it is collected.
        var shell: pid_t?
    }

    /// All that are still held, so that they can be stopped without their `LocalCluster`s at hand.
    private static let held = Mutex<[String: Supervisor]>([:])

    /// Starts the shell, which makes the cluster and starts its server.
    init(binaries: String, folder: String, superuser: String, arguments: [String], account: Account?)
        throws(ClusterError)
    {
        let pipe = try PrivatePipe()
        defer { close(pipe.read) }
        let shell = ["/bin/sh", "-c", Self.script, String(Self.mark), binaries, folder, superuser]
        let child = ChildProcess(
            arguments: (account?.prefix ?? []) + shell + arguments,
            environment: Environment.forChild(home: folder), input: pipe.read, output: .file(folder + "/log"),
            ownSession: true)
        do throws(ClusterError) {
            state = Mutex(State(pipe: pipe.write, shell: try child.spawn()))
        } catch {
            close(pipe.write)
            throw error
        }
        self.folder = folder
        Self.held.withLock { $0[folder] = self }
    }

    /// Polls until the server accepts connections.
    func waitUntilReady(seconds: Int) throws(ClusterError) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let server = Postmaster(dataFolder: folder + "/data"), server.isReady, server.isRunning { return }
            if Files.exists(folder + "/ended") || shellHasEnded() {
                throw .didNotStart(log: Files.tail(folder + "/log"))
            }
            guard ContinuousClock.now < deadline else {
                throw .timedOut(seconds: seconds, log: Files.tail(folder + "/log"))
            }
            usleep(5_000)
        }
    }

    /// Stops the server and removes the folder; returns when both are gone.
    ///
    /// Does nothing the second time.
    func stop() {
        release()
        let deadline = ContinuousClock.now + .seconds(40)
        // The lock is held, so that a second caller returns no earlier than the first.
        state.withLock { state in
            guard let shell = state.shell else { return }
            while !ChildProcess.hasEnded(shell) {
                if ContinuousClock.now > deadline { kill(shell, SIGKILL) }
                usleep(5_000)
            }
            state.shell = nil
            // The shell has cleared up; unless it was killed.
            ClusterFolder.clear(folder)
        }
        Self.held.withLock { $0[folder] = nil }
    }

    /// Lets a server go on without us; the folder's `owner` file says `keep` by now.
    func detach() {
        release()
        state.withLock { state in
            if let shell = state.shell { ChildProcess.wait(for: shell) }
            state.shell = nil
        }
        Self.held.withLock { $0[folder] = nil }
    }

    /// Stops all at once: the shells work side by side.
    static func stopAll() {
        let all = held.withLock { Array($0.values) }
        for supervisor in all { supervisor.release() }
        for supervisor in all { supervisor.stop() }
    }

    /// Closes our end of the pipe, which the shell takes as the sign to end.
    private func release() {
        state.withLock { state in
            if let pipe = state.pipe { close(pipe) }
            state.pipe = nil
        }
    }

    private func shellHasEnded() -> Bool {
        state.withLock { state in
            guard let shell = state.shell else { return true }
            guard ChildProcess.hasEnded(shell) else { return false }
            state.shell = nil
            return true
        }
    }
}
