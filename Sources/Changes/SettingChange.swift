internal import AppFile
internal import Asking
internal import Inquiries
internal import PQ

extension Inquiry {
    /// A change of one cell in an editable table.
    func setting(_ name: String?, key: String, column: String, value: String) throws(Failure) -> RequestedAct {
        let settings = try app.settings(name)
        guard let declaration = settings.columns.first(where: { $0.name == column }) else {
            throw Failure(
                .usage, "\(settings.name) has no column \(column) that operators can edit",
                hint: "the columns are: \(settings.columns.map(\.name).joined(separator: ", "))")
        }
        let value = try checked(value, for: declaration)
        guard let rows = app.queries().rows(of: settings) else { throw settings.noTable }
        let keys = try read([rows], isLast: false)[0].get().rows.compactMap { $0.values[0].text }
        guard keys.contains(key) else {
            throw Failure(
                .notFound, "\(settings.name) has no row with the \(settings.key) \(key)",
                hint: "choose one of: \(keys.prefix(20).joined(separator: ", "))")
        }
        return RequestedAct(
            settings, column: column, of: key, to: value, as: name == nil ? "quota set" : "settings set")
    }

    /// The value to write, converted to the type of the column; nil for NULL.
    private func checked(_ value: String, for declaration: ParameterDeclaration) throws(Failure) -> String? {
        if value == "null", declaration.isOptional { return nil }
        try declaration.require(value)
        return try typed([declaration.name: value], as: [declaration])[declaration.name]
    }
}
