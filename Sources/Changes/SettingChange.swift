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
        try require(key, in: settings.table.quoted, Identifier(settings.key).quoted, of: settings)
        return RequestedAct(
            settings, column: column, of: key, to: value, as: name == nil ? "quota set" : "settings set")
    }

    /// The value to write, converted to the type of the column; nil for NULL.
    private func checked(_ value: String, for declaration: ParameterDeclaration) throws(Failure) -> String? {
        if value == "null", declaration.isOptional { return nil }
        try declaration.require(value)
        return try typed([declaration.name: value], as: [declaration])[declaration.name]
    }

    /// Refuses a key that no row has; compares the key as the UPDATE does.
    private func require(
        _ key: String, in table: String, _ column: String, of settings: App.Settings
    ) throws(Failure) {
        let query = ComposedQuery(
            engine: """
                select t.\(column)::text, (t.\(column)::text = $1) is true as fits from \(table) t order by fits desc, 1 limit 20
                """, values: [key])
        let rows = try read([query], isLast: false)[0].result.rows().rows
        if rows.first?.values[1].boolean == true { return }
        let known = rows.compactMap { $0.values[0].text }
        throw Failure(
            .notFound, "\(settings.name) has no row with the \(settings.key) \(key)",
            hint: "choose one of: \(known.joined(separator: ", "))")
    }
}
