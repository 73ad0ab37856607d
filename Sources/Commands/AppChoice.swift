import AppFile
import Asking
import CommandLine
import Inquiries

/// Finds the app of a command: the app that the operator chose, or the app that fits the database.
extension Context {
    /// The name or the file of the chosen app; nil if usher finds the app that fits the database.
    var chosenApp: String? { session.choice(options.app) }

    /// The cached app of the database, if the operator chose no app.
    private var expectedApp: String? { chosenApp == nil ? session.rememberedApp(options.database) : nil }

    func candidates() throws(Failure) -> [App] {
        if let also = options.also { return [try extendedApp(by: also)] }
        return try session.candidates(options.app, in: options.schema, expecting: expectedApp)
    }

    /// Opens a read transaction with the app that fits the database.
    func open(for purpose: Inquiry.Purpose = .app) throws(Failure) -> Inquiry {
        try Inquiry.open(on: try connection(), candidates: try candidates(), options: inquiry, for: purpose)
    }

    /// Opens a transaction for the checks before a change; with `isExact`, only a key or an email names a user.
    func openToChange(isExact: Bool = false) throws(Failure) -> Inquiry {
        var options = inquiry
        options.isExact = isExact
        return try Inquiry.open(
            on: try connectionToChange(), candidates: try candidates(), options: options, for: .change)
    }

    func app() throws(Failure) -> App {
        var options = inquiry
        // The time doesn't affect which app fits the database.
        options.at = nil
        return try Inquiry.open(
            on: try connection(), candidates: try candidates(), options: options, isLast: true
        ).app
    }

    /// The chosen or detected app, with the lists, panels and checks of the file of `--also`.
    private func extendedApp(by also: String) throws(Failure) -> App {
        let key = [options.database, options.app, options.schema, also]
        if let extended = session.extended, extended.key == key { return extended.value }
        let own = chosenApp == nil ? try detectedApp() : try session.candidates(options.app, in: options.schema)[0]
        let app = try AppLibrary.app(own, with: also, taken: AppVerbs.taken)
        session.extended = (key, app)
        return app
    }

    /// The chosen, cached or detected app, if some app declares a command with these words; otherwise nil.
    ///
    /// usher connects only if an app declares the words, so a typing mistake needs no connection.
    func app(mentioning words: [String]) throws(Failure) -> App? {
        func isMentioned(_ app: App) -> Bool {
            AppVerbs.all(of: app).contains { declared in
                let path = declared.verb.command.path
                return words.contains(path[0]) && (grammar.noun(named: path[0]) == nil || words.contains(path[1]))
            }
        }
        if let also = options.also {
            let app = try extendedApp(by: also)
            return isMentioned(app) ? app : nil
        }
        let likely = expectedApp
        let all = try session.candidates(options.app, expecting: likely)
        // Reading a file takes milliseconds, so usher reads the most likely app first.
        for app in all.filter({ $0.name == likely }) + all.filter({ $0.name != likely })
        where isMentioned(try AppLibrary.whole(app)) {
            // The command itself checks that the cached app still fits the database.
            let isKnown = chosenApp != nil || app.name == likely && session.namedFleet(options) == nil
            return isKnown ? app : try detectedApp()
        }
        return nil
    }

    /// The app that fits the database.
    ///
    /// In a fleet, the first database that answers decides which app's commands the console has. A command in another
    /// database uses the app that fits that database.
    private func detectedApp() throws(Failure) -> App {
        var options = options
        options.also = nil
        guard let fleet = try session.databases(options) else { return try with(options).app() }
        var first: Failure?
        for member in fleet.members {
            do throws(Failure) { return try with(options.at(member)).app() } catch {
                if error.kind == .interrupted { throw error }
                first = first ?? error
            }
        }
        throw first ?? Failure(.usage, "the fleet is empty", hint: "see `usher help fleet`")
    }
}
