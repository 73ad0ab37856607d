// Starts a cluster, prints its folder, and waits: tests kill this process.
//
// cluster-holder NAME wait|exit|keep PARENT

import Glibc
import LocalCluster

let name = CommandLine.arguments.dropFirst().first ?? "usher"
let mode = CommandLine.arguments.dropFirst(2).first ?? "wait"
let parent = CommandLine.arguments.dropFirst(3).first

// A test sends SIGINT to the whole group, and this process must survive like the server.
signal(SIGINT, SIG_IGN)

do {
    let cluster = try LocalCluster.start(name: name, in: parent, keep: mode == "keep")
    let line = Array((cluster.folder + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, line, line.count)
    if mode == "wait" { while true { pause() } }
    // The process exits without cleanup, so the supervisor notices the exit only by the closed pipe.
    withExtendedLifetime(cluster) { _exit(0) }
} catch {
    let line = Array("\(error)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
}
