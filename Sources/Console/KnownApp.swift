import AppFile
import Commands
import Inquiries
import Synchronization

/// The app that a console is about: the one that was named, the one that the database has, or the one that fitted when it was
/// last looked at.
final class KnownApp: Sendable {
    private let name: String?
    private let isChosen: Bool
    /// The app, once somebody asked for it.
    private let read = Mutex<App??>(nil)

    init(chosen: String?, remembered: String?) {
        name = chosen ?? remembered
        isChosen = chosen != nil
    }

    /// The app, as far as it is known without a server.
    var app: App? {
        read.withLock { read in
            if let read { return read }
            let app = name.flatMap { try? AppLibrary.app($0, taken: AppVerbs.taken) }
            read = .some(app)
            return app
        }
    }

    /// Notes the app of the database, unless the operator named another.
    func found(_ app: App) { if !isChosen { read.withLock { $0 = .some(app) } } }
}
