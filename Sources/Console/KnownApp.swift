import AppFile
import Commands
import Inquiries
import Synchronization

/// The app that a console is about, as far as that is known without a server; read when somebody first asks.
final class KnownApp: Sendable {
    private let name: String?
    /// Whether the operator named it, so that nothing else counts.
    let isChosen: Bool
    private let read = Mutex<App??>(nil)

    /// The app that was named, or the one that fitted the database when it was last looked at.
    init(chosen: String?, remembered: String?) {
        name = chosen ?? remembered
        isChosen = chosen != nil
    }

    /// The app where it is known by now: from the operator, from the scout, from memory.
    func app(besides scout: Scouts) -> App? {
        if !isChosen, let found = scout.surroundings?.app { return found }
        return read.withLock { read in
            if let read { return read }
            let app = name.flatMap { try? AppLibrary.app($0, taken: AppVerbs.taken) }
            read = .some(app)
            return app
        }
    }
}
