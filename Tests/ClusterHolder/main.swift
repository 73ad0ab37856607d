// Starts a cluster, says where, and does nothing more: something to be killed by a test.
//
// cluster-holder NAME wait|exit|keep

import Glibc
import LocalCluster

let name = CommandLine.arguments.dropFirst().first ?? "usher"
let mode = CommandLine.arguments.dropFirst(2).first ?? "wait"

// A test that sends SIGINT to the whole group wants to see the server live, and this process to let it live.
signal(SIGINT, SIG_IGN)

do {
    let cluster = try LocalCluster.start(name: name, keep: mode == "keep")
    let line = Array((cluster.folder + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, line, line.count)
    if mode == "wait" { while true { pause() } }
    // Leaves without a word, so that nothing but the pipe can tell the supervisor.
    withExtendedLifetime(cluster) { _exit(0) }
} catch {
    let line = Array("\(error)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
}
