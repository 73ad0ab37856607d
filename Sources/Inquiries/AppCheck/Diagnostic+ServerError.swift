internal import AppFile
internal import PQ

extension Diagnostic {
    /// Creates a finding from an error of Postgres about a statement, or about a name in a directive.
    init(_ error: ServerError, of directive: String? = nil, at place: App.Place) {
        self.init(
            (directive.map { "\($0): " } ?? "") + error.message, at: place, hint: error.hint ?? error.detail)
    }

    /// Creates a warning about the connected role.
    init(ofRole message: String, at place: App.Place) {
        self.init(
            message, at: place, hint: "the app file may be right; run the check as the owner of the tables",
            severity: .warning, isOfRole: true)
    }
}
