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
        /// Whether the server let it in, or did not.
        var hasKnocked = false
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

    /// Where it looks.
    struct Target: Sendable {
        let database: String?
        /// What an app file is about that is about the schemas of customers, and which of them alone is meant.
        var template: App?
        var schema: String?
        /// What stands in front of the name of a schema.
        var lead = ""
    }

    private let target: Target
    /// The apps that may fit, read for a schema.
    private let candidates: @Sendable (_ schema: String?) throws(Failure) -> [App]
    private let state = Mutex(State())
    private let orders = Bell()
    /// Rung with every report and every answer.
    private let answers: Bell
    private let farewell = Bell()
    private let cancellation = Cancellation()

    /// A scout for a database that has not set out yet.
    init(
        _ target: Target, answers: Bell, candidates: @escaping @Sendable (_ schema: String?) throws(Failure) -> [App]
    ) {
        self.target = target
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

    /// Whether the server has said if it lets the scout in.
    var hasKnocked: Bool { state.withLock(\.hasKnocked) }

    /// Has the scout set out as if for the first time; what it said of the server counts no more.
    func startOver() {
        state.withLock { state in
            (state.report, state.hasNews, state.looksAgain) = (.looking, false, true)
        }
        orders.ring()
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
            let connection = try Connection(try Conninfo(target.database), cancellation: cancellation)
            state.withLock { $0.hasKnocked = true }
            answers.ring()
            return connection
        } catch {
            throw Failure(error)
        }
    }

    private func serve(on connection: Connection) throws(Failure) {
        var view = try look(on: connection)
        while !isDismissed {
            let (wanted, looksAgain) = state.withLock { state in
                defer { (state.wanted, state.looksAgain) = (nil, false) }
                return (state.wanted, state.looksAgain)
            }
            if looksAgain {
                do throws(Failure) {
                    view = try look(on: connection, knowing: view)
                } catch {
                    if connection.isAlive { throw error }
                    // That it died says nothing of the server: another is tried first.
                    return
                }
            }
            if let wanted {
                let found = view.answer(to: wanted, on: connection)
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

    private func look(on connection: Connection, knowing former: ScoutView? = nil) throws(Failure) -> ScoutView {
        var names: [String] = []
        if let template = target.template {
            names = try Tenants.of(template, on: connection, options: InquiryOptions(timeout: 10))
            if let schema = target.schema { names.removeAll { $0 != schema } }
        }
        let first = try candidates(names.first)
        let place = try Surroundings.look(on: connection, candidates: first, timeout: 10)
        publish(.found(place))
        var places = [place]
        for name in names.dropFirst().prefix(ScoutView.most - 1) {
            places += try candidates(name).map { place.by($0) }
        }
        let isWhole = names.count <= ScoutView.most
        return ScoutView(
            names: names.map { target.lead + $0 }, places: places, isWhole: isWhole,
            columns: former.map { $0.places.count == places.count ? $0.columns : [:] } ?? [:])
    }

    private func publish(_ report: Report) {
        state.withLock { state in
            state.report = report
            state.hasKnocked = true
            switch report {
            case .looking: break
            case .found(let place): (state.place, state.wasInVain) = (place, false)
            case .lost: state.isLostSinceAsked = true
            }
            state.hasNews = true
        }
        answers.ring()
    }
}

private func scoutWork(_ scout: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let scout = unsafe scout { unsafe Unmanaged<Scout>.fromOpaque(scout).takeRetainedValue().work() }
    return nil
}
