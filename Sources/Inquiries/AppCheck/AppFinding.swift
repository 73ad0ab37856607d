package import AppFile
internal import PQ

/// A mistake in an app file, or a warning, that depends on the database.
package struct AppFinding: Sendable, Hashable {
    /// The finding with its place and a hint, for the author of the file.
    package let diagnostic: Diagnostic
    package let place: App.Place
    /// True if the finding concerns the connected role and not the file.
    package let isOfRole: Bool

    /// Creates a finding; `meant` is a known name that a misspelled name probably stands for.
    init(
        _ message: String, hint: String? = nil, severity: Diagnostic.Severity = .error, isOfRole: Bool = false,
        at place: App.Place, meant: String? = nil
    ) {
        let hints = [meant.map { "did you mean \($0)?" }, hint].compactMap { $0 }
        diagnostic = Diagnostic(
            message, in: place.file, at: place.offset, hint: hints.isEmpty ? nil : hints.joined(separator: " "),
            severity: severity)
        self.place = place
        self.isOfRole = isOfRole
    }

    /// Creates a finding that doesn't depend on the database.
    init(_ diagnostic: Diagnostic) {
        self.diagnostic = diagnostic
        place = App.Place(file: diagnostic.file, offset: diagnostic.offset)
        isOfRole = false
    }

    /// Creates a finding from an error of Postgres about a statement, or about a name in a directive.
    init(_ error: ServerError, of directive: String? = nil, at place: App.Place) {
        self.init(
            (directive.map { "\($0): " } ?? "") + error.message, hint: error.hint ?? error.detail, at: place)
    }

    /// Creates a warning about the connected role.
    init(ofRole message: String, at place: App.Place) {
        self.init(
            message, hint: "the app file may be right; run the check as the owner of the tables", severity: .warning,
            isOfRole: true, at: place)
    }

    package var severity: Diagnostic.Severity { diagnostic.severity }
}

extension AppCheck.Obstacle {
    package var sentence: String {
        let why =
            switch self {
            case .readOnly: "the session is read-only"
            case .noTemporaryTables: "your role lacks TEMPORARY on this database"
            }
        return "usher didn't check rights, secrets and writes: \(why)"
    }
}
