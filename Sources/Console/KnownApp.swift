import AppFile
import Commands
import Inquiries
import Synchronization

/// The app of a console: the chosen app, the app of the database, or the remembered app of the last session.
final class KnownApp: Sendable {
    private let name: String?
    private let isChosen: Bool
    /// The app that usher has read; the outer nil means that usher hasn't tried yet.
    private let read = Mutex<App??>(nil)

    init(chosen: String?, remembered: String?) {
        name = chosen ?? remembered
        isChosen = chosen != nil
    }

    /// The app, as far as known without a server.
    var app: App? {
        read.withLock { read in
            if let read { return read }
            let app = name.flatMap { try? AppLibrary.app($0, taken: AppVerbs.taken) }
            read = .some(app)
            return app
        }
    }

    /// Stores the app of the database, unless the operator chose another app.
    func found(_ app: App) { if !isChosen { read.withLock { $0 = .some(app) } } }
}
