import Synchronization
import Terminal

/// The screen of one member of a fleet: what is written there is held until the member has come to its end, so that
/// it stands together; what is said goes on at once.
final class MemberScreen: Screen {
    private let screen: any Screen
    private let gathering: Gathering
    private let member: Member
    private let lines = Mutex<[Gathering.Line]>([])

    init(_ screen: any Screen, _ gathering: Gathering, _ member: Member) {
        self.screen = screen
        self.gathering = gathering
        self.member = member
    }

    var isTerminal: Bool { screen.isTerminal }
    var errorIsTerminal: Bool { false }
    var width: Int { screen.width }
    var drawsUnicode: Bool { screen.drawsUnicode }
    var colorsOutput: Bool { screen.colorsOutput }
    var outputState: OutputState { screen.outputState }

    func write(_ text: SafeText) { lines.withLock { $0.append(.text(text)) } }

    func note(_ text: SafeText) { gathering.put(.note(text), of: member) }

    /// There is one line of progress, and it is about all members.
    func status(_ text: SafeText?) {}

    func data(_ bytes: borrowing Span<UInt8>) {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        lines.withLock { $0.append(.data(copy)) }
    }

    func flush() {}

    /// Hands on what was written.
    func close() {
        let written = lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        if !written.isEmpty { gathering.put(.screen(written), of: member) }
    }
}
