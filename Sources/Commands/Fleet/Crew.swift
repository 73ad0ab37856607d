import Asking
import Glibc
import PQ
import Synchronization

/// A few threads that do pieces of work, since everything that waits for a server waits for it alone.
final class Crew: Sendable {
    private struct State {
        var next = 0
        var finished = 0
        var workers = 0
    }

    private let state = Mutex(State())
    private let count: Int
    private let work: @Sendable (_ piece: Int, _ place: Workplace) -> Void
    /// How each of those who work is told to stop: pieces may be many, and descriptors are few.
    private let cancellations: [Cancellation]
    /// Rung whenever a piece of work is done.
    let news = Bell()

    /// Pieces of work that go on side by side: enough for a slow server not to hold up the others, and few enough for the
    /// connections of a pooler and the descriptors of a process.
    static let width = 8

    /// A crew that has begun with its work; it lives until all of it is done.
    ///
    /// Each piece has a workplace of its own, with the connection of the piece that was done there before.
    init(
        pieces count: Int, width: Int = Crew.width, work: @escaping @Sendable (Int, Workplace) -> Void
    ) throws(Failure) {
        self.count = count
        self.work = work
        cancellations = (0..<min(width, count)).map { _ in Cancellation() }
        var started = 0
        for _ in cancellations {
            var thread = pthread_t()
            let crew = unsafe Unmanaged.passRetained(self).toOpaque()
            guard unsafe pthread_create(&thread, nil, crewWork, crew) == 0 else {
                unsafe Unmanaged<Crew>.fromOpaque(crew).release()
                continue
            }
            pthread_detach(thread)
            started += 1
        }
        guard started > 0 || count == 0 else { throw Failure(.failed, "no thread could be started") }
    }

    /// Whether all is done.
    var isFinished: Bool { state.withLock { $0.finished == count } }

    /// Waits until all is done, and hands requests to stop on to those who work.
    func wait(meanwhile: () -> Void = {}) {
        var handed = 0
        while true {
            let isFinished = isFinished
            while handed < Cancellation.interrupt.count {
                cancellations.forEach { $0.request() }
                handed += 1
            }
            meanwhile()
            if isFinished { return }
            _ = news.wait(within: 0.1)
        }
    }

    fileprivate func run() {
        // Signals are for the thread that waits for the operator.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        let place = state.withLock { state in
            defer { state.workers += 1 }
            return state.workers
        }
        var workplace = Workplace(cancellation: cancellations[place])
        while let piece = state.withLock({ state -> Int? in
            guard state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
        }) {
            work(piece, workplace)
            workplace = workplace.next()
            state.withLock { $0.finished += 1 }
            news.ring()
        }
    }
}

private func crewWork(_ crew: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let crew = unsafe crew { unsafe Unmanaged<Crew>.fromOpaque(crew).takeRetainedValue().run() }
    return nil
}
