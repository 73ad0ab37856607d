import AppFile
import Asking
import Catalog
import Glibc
import Inquiries
import PQ
import Synchronization

/// Looks around on a connection and a thread of its own, so that neither a prompt nor a TAB ever waits for a server.
final class Scout: Sendable {
    /// What the scout found.
    enum Report: Sendable {
        case looking
        case found(Surroundings)
        case lost(Failure)
    }

    private struct State {
        var report = Report.looking
        /// The place as it was last seen.
        var place: Surroundings?
        var hasNews = false
        var wanted: Lookup?
        var looksAgain = false
        /// The latest answer; what came too late serves the next TAB.
        var answer: (lookup: Lookup, found: Lookup.Answer)?
        var isLostSinceAsked = false
        var wasInVain = false
        var isStarted = false
        var isDismissed = false

        mutating func takeAnswer(to lookup: Lookup) -> Lookup.Answer? {
            guard let answer, answer.lookup == lookup else { return nil }
            self.answer = nil
            return answer.found
        }
    }

    private let database: String?
    private let candidates: @Sendable () throws(Failure) -> [App]
    private let state = Mutex(State())
    private let orders = Bell()
    /// Rung with every report and every answer.
    private let answers: Bell
    private let farewell = Bell()
    private let cancellation = Cancellation()

    /// A scout for a database that has not set out yet.
    init(database: String?, answers: Bell, candidates: @escaping @Sendable () throws(Failure) -> [App]) {
        self.database = database
        self.answers = answers
        self.candidates = candidates
    }

    // MARK: For whoever sent it

    /// Sets out, and returns at once.
    func start() {
        guard
            state.withLock({ state in
                defer { state.isStarted = true }
                return !state.isStarted
            })
        else { return }
        var thread = pthread_t()
        let scout = unsafe Unmanaged.passRetained(self).toOpaque()
        guard unsafe pthread_create(&thread, nil, scoutWork, scout) == 0 else {
            unsafe Unmanaged<Scout>.fromOpaque(scout).release()
            return
        }
        pthread_detach(thread)
    }

    /// What is known by now.
    var report: Report { state.withLock(\.report) }

    /// What is known by now of the place, nil as long as nothing is; a lost connection changes nothing about it.
    var surroundings: Surroundings? { state.withLock(\.place) }

    /// Whether the place was found, and not lost since.
    var isThere: Bool { if case .found = report { true } else { false } }

    /// Whether there is something that nobody has asked for yet.
    func takeNews() -> Bool {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }

    /// Has the scout look again, because something may have changed.
    func lookAgain() {
        state.withLock { $0.looksAgain = true }
        orders.ring()
    }

    /// Has the scout find out, unless it has.
    func ask(_ lookup: Lookup) {
        state.withLock { state in
            if state.answer?.lookup != lookup { state.wanted = lookup }
            state.isLostSinceAsked = false
        }
        orders.ring()
    }

    /// Whether the server was found to be out of reach since something was asked.
    var isLostSinceAsked: Bool { state.withLock(\.isLostSinceAsked) }

    /// Whether somebody waited to the end for an answer, and nothing has come since.
    var wasInVain: Bool {
        get { state.withLock(\.wasInVain) }
        set { state.withLock { $0.wasInVain = newValue } }
    }

    /// The answer to a question, once there is one.
    func takeAnswer(to lookup: Lookup) -> Lookup.Answer? { state.withLock { $0.takeAnswer(to: lookup) } }

    /// Calls the scout back.
    func callBack() {
        state.withLock { $0.isDismissed = true }
        cancellation.request()
        orders.ring()
    }

    /// Waits a moment for the scout to be gone.
    func sendOff(within seconds: Double) {
        if state.withLock({ $0.isStarted }) { _ = farewell.wait(within: seconds) }
    }

    // MARK: On its own thread

    fileprivate func work() {
        // Signals are for the thread that waits for the operator.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        scouting: while !isDismissed {
            do throws(Failure) {
                try serve(on: try connect())
            } catch {
                publish(.lost(error))
                // Nothing is tried again before somebody asks.
                while orders.wait() {
                    if isDismissed { break scouting }
                    if hasOrders { break }
                }
            }
        }
        farewell.ring()
    }

    private var isDismissed: Bool { state.withLock(\.isDismissed) }
    private var hasOrders: Bool { state.withLock { $0.looksAgain || $0.wanted != nil } }

    private func connect() throws(Failure) -> Connection {
        do throws(PQError) {
            return try Connection(try Conninfo(database), cancellation: cancellation)
        } catch {
            throw Failure(error)
        }
    }

    private func serve(on connection: Connection) throws(Failure) {
        var place = try look(on: connection)
        var columns: [AddressColumn]?
        while !isDismissed {
            let (wanted, looksAgain) = state.withLock { state in
                defer { (state.wanted, state.looksAgain) = (nil, false) }
                return (state.wanted, state.looksAgain)
            }
            if looksAgain {
                do throws(Failure) {
                    place = try look(on: connection)
                } catch {
                    if connection.isAlive { throw error }
                    // That it died says nothing of the server: another is tried first.
                    return
                }
            }
            if let wanted {
                let known = columns ?? Lookup.addressColumns(of: place, on: connection)
                columns = known
                let found = wanted.found(in: place, columns: known, within: Self.patience, on: connection)
                guard connection.isAlive else {
                    state.withLock { $0.wanted = wanted }
                    return
                }
                state.withLock { state in
                    state.answer = (wanted, found)
                    state.wasInVain = false
                }
                answers.ring()
            }
            _ = orders.wait()
        }
    }

    private func look(on connection: Connection) throws(Failure) -> Surroundings {
        let place = try Surroundings.look(on: connection, candidates: try candidates(), timeout: 10)
        publish(.found(place))
        return place
    }

    private func publish(_ report: Report) {
        state.withLock { state in
            state.report = report
            switch report {
            case .looking: break
            case .found(let place): (state.place, state.wasInVain) = (place, false)
            case .lost: state.isLostSinceAsked = true
            }
            state.hasNews = true
        }
        answers.ring()
    }

    /// Seconds that the server may spend on a question.
    private static let patience = 0.1
}

private func scoutWork(_ scout: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let scout = unsafe scout { unsafe Unmanaged<Scout>.fromOpaque(scout).takeRetainedValue().work() }
    return nil
}
