package import AppFile
package import Asking

extension Listing {
    package static func settings(_ name: String?, in inquiry: Inquiry) throws(Failure) -> Listing {
        let settings = try inquiry.app.settings(name)
        return Listing(query: inquiry.app.queries().rows(of: settings), inquiry: inquiry, key: settings.key)
    }
}

extension App {
    /// The settings table with a name; without a name, the table `quota` or the only settings table.
    package func settings(_ name: String?) throws(Failure) -> Settings {
        if let name {
            if let found = settings.first(where: { $0.name == name }) { return found }
            throw Failure(unknown: "\(self.name) has no configuration table \(name)", known: settings.map(\.name))
        }
        if let found = settings.first(where: { $0.name == "quota" }) ?? (settings.count == 1 ? settings[0] : nil) {
            return found
        }
        throw Failure(
            unknown: settings.isEmpty
                ? "the app file of \(self.name) declares no @settings"
                : "\(self.name) has several configuration tables",
            known: settings.map(\.name))
    }
}
