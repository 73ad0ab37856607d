import Asking
import PQ
import Synchronization
import Terminal

/// Where what the members of a fleet write comes together, for one thread to hand on.
final class Gathering: Sendable {
    /// Something that a member wrote.
    enum Piece: Sendable {
        /// Records, in columns of which the first is the database; those of `whole` are never cut.
        case records([Column], whole: Set<String>, [Record])
        case document(JSON)
        /// Everything for people, once the member has come to its end.
        case screen([Line])
        case note(SafeText)
        /// Numbers that belong into a sum.
        case figures(any Figures)
        case ended(Result<ExitStatus, Failure>)
    }

    struct Record: Sendable {
        let values: [Value]
        let key: Value
    }

    enum Line: Sendable {
        case text(SafeText)
        case data([UInt8])
    }

    private struct State {
        var pieces: [(member: Member, piece: Piece)] = []
        var records = 0
        var told: Set<String> = []
    }

    private let state = Mutex(State())
    private let room = Bell()
    /// Rung when there is something to take.
    let news: Bell

    init(news: Bell = Bell()) { self.news = news }

    /// Adds a piece, after waiting for room where the others are not handed on as fast as they come.
    func put(_ piece: Piece, of member: Member) {
        var records = 0
        if case .records(_, _, let rows) = piece { records = rows.count }
        while records > 0, state.withLock({ $0.records > Self.mostRecords }) { _ = room.wait(within: 0.05) }
        state.withLock { state in
            state.pieces.append((member, piece))
            state.records += records
        }
        news.ring()
    }

    /// Takes all there is, in the order it came.
    func take() -> [(member: Member, piece: Piece)] {
        let pieces = state.withLock { state in
            defer { (state.pieces, state.records) = ([], 0) }
            return state.pieces
        }
        room.ring()
        return pieces
    }

    /// Whether nobody has told this for the others yet.
    func isFirst(toTell topic: String) -> Bool { state.withLock { $0.told.insert(topic).inserted } }

    /// Records that may wait to be written.
    private static let mostRecords = 20_000
}

/// Numbers of one member that make sense together with those of another.
protocol Figures: Sendable {
    /// The sum, nil where the others are of another kind.
    func adding(_ others: any Figures) -> (any Figures)?
    /// The one number that is told of each member beside the sum.
    var headline: String? { get }
    /// Writes the sum, which is about so many members of a fleet.
    func write(_ context: Context, counted: [(member: Member, headline: String?)], of fleet: Fleet) throws(Failure)
}

/// The records of one member, on their way to where all come together.
final class GatheredRecords: RecordFormat {
    private let gathering: Gathering
    private let member: Member
    private let whole: Set<String>
    private var columns: [Column] = []
    private var records: [Gathering.Record] = []
    private var hasSent = false

    init(_ gathering: Gathering, _ member: Member, whole: Set<String>) {
        self.gathering = gathering
        self.member = member
        self.whole = whole
    }

    func begin(_ columns: [Column]) { self.columns = columns }

    func write(_ values: [Value], key: Value) {
        records.append(Gathering.Record(values: values, key: key))
        if records.count >= Self.chunk { send() }
    }

    /// Columns are worth knowing where there is no row, too.
    func end() { if !records.isEmpty || !hasSent { send() } }

    private func send() {
        gathering.put(.records(columns, whole: whole, records), of: member)
        records = []
        hasSent = true
    }

    private static let chunk = 200
}
