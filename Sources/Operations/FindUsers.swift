package import AppFile
package import PQ

/// The users that a text finds, and by which way.
package struct FoundUsers: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id, address, prefix, anywhere
    }

    package let way: Way?
    package let users: [Row]
    package let columns: [Column]
    /// The column that identifies a user.
    package let key: String
    /// The columns that people see first, all when empty.
    package let shown: [String]
    /// The columns that are typed again, and so are of no use in part.
    package let whole: [String]
    package let isCut: Bool
}

extension Inquiry {
    /// Searches the directory: exact id, else exact address, else beginnings, else anywhere.
    package static func find(
        _ text: String, limit: Int, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> FoundUsers {
        guard !text.isEmpty else {
            throw Failure(.usage, "there is nothing to find", hint: "give a part of an address or an id")
        }
        let bindings = options.at.map { ["now": Binding($0, type: "timestamptz")] } ?? [:]
        let (inquiry, answers) = try open(on: connection, candidates: candidates, options: options, isLast: true) {
            app in
            [app.search(for: text, limit: limit + 1, bindings: bindings)]
        }
        try inquiry.requireWholeDirectory()
        let rows = try answers[0].reading.mapError(\.failure).get()
        let way = rows.first?.values.first?.text.flatMap { Int($0) }.map { FoundUsers.Way.allCases[$0 - 1] }
        // The first column is the rank, the last the best rank; between them stand the facts.
        let columns = Array(rows.columns.dropFirst().dropLast())
        let users = rows.rows.prefix(limit).map { row in
            Row(columns: columns, values: Array(row.values.dropFirst().dropLast()))
        }
        return FoundUsers(
            way: way, users: users, columns: columns, key: inquiry.app.users.key,
            shown: inquiry.app.users.columns, whole: [inquiry.app.users.key] + inquiry.app.users.emails,
            isCut: rows.rows.count > limit)
    }
}
