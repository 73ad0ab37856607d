package import AppFile
package import Asking
package import PQ

extension Listing {
    /// Lists the rows of a settings table.
    package static func settings(
        _ name: String?, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Listing {
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        let settings = try inquiry.app.settings(name)
        guard let query = inquiry.app.rows(of: settings) else {
            throw settings.noTable
        }
        return Listing(query, of: inquiry, key: settings.key)
    }
}

extension App {
    /// The settings table with a name; without a name, the table `quota` or the only one.
    package func settings(_ name: String?) throws(Failure) -> Settings {
        let all = settings.map(\.name)
        if let name {
            if let found = settings.first(where: { $0.name == name }) { return found }
            throw Failure(
                .usage, "\(self.name) has no configuration table \(name)",
                hint: all.isEmpty
                    ? "the app file declares no @settings" : "choose one of: \(all.joined(separator: ", "))")
        }
        if let found = settings.first(where: { $0.name == "quota" }) ?? (settings.count == 1 ? settings[0] : nil) {
            return found
        }
        if all.isEmpty {
            throw Failure(
                .usage, "\(self.name) has no limits or settings to change", hint: "the app file declares no @settings")
        }
        throw Failure(
            .usage, "\(self.name) has several configuration tables",
            hint: "choose one: `usher settings set NAME …` with \(all.joined(separator: ", "))")
    }
}

extension App.Settings {
    /// The failure for a settings table without a schema.
    package var noTable: Failure {
        Failure(.failed, "\(table) is not a table with its schema", hint: "write schema.table after @table")
    }
}
