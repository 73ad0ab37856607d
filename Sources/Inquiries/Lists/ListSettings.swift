package import AppFile
package import Asking
package import PQ

extension Listing {
    /// An editable table.
    package static func settings(
        _ name: String?, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Listing {
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        let settings = try inquiry.app.settings(name)
        guard let query = inquiry.app.rows(of: settings) else {
            throw Failure(.failed, "\(settings.table) is no table of a schema")
        }
        return Listing(query, of: inquiry, key: settings.key)
    }
}

extension App {
    /// The editable table of a name; without one the only one, or the one called `quota`.
    package func settings(_ name: String?) throws(Failure) -> Settings {
        let all = settings.map(\.name).joined(separator: ", ")
        if let name {
            if let found = settings.first(where: { $0.name == name }) { return found }
            throw Failure(
                .usage, "\(self.name) has no settings \(name)",
                hint: all.isEmpty ? "it has none at all" : "there is \(all)")
        }
        if let found = settings.first(where: { $0.name == "quota" }) ?? (settings.count == 1 ? settings[0] : nil) {
            return found
        }
        throw Failure(
            .usage, settings.isEmpty ? "\(self.name) has no settings" : "\(self.name) has several settings",
            hint: settings.isEmpty ? nil : "say which: `usher settings set NAME …` with \(all)")
    }
}
