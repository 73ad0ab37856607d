package import Asking
package import PQ

/// One operation of the audit log, whose changes can be streamed.
package struct AuditedOperation {
    package let id: String
    package let summary: Row
    package let total: Int
    fileprivate let audit: Audit

    /// The shape of the rows that a query for changes returns.
    package enum Shape: Sendable {
        /// One row per changed row, with its old and new values as JSON objects.
        case images
        case columns
    }

    /// Streams the changes of the operation; with the shape `columns`, rows can also contain the column types.
    package func changes(
        as shape: Shape, limit: Int? = nil, withTypes: Bool = false,
        each receive: (borrowing RowView) throws(Failure) -> Void
    ) throws(Failure) {
        let values = [id, limit.map(String.init)]
        let question =
            switch shape {
            case .images: Audit.query("changes", values)
            case .columns: Audit.query("columns", values + [withTypes ? "true" : "false"])
            }
        try audit.stream(question, each: receive)
    }
}

extension Audit {
    /// Finds an operation by its id, or by an unambiguous prefix of the id.
    package static func operation(
        _ text: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AuditedOperation {
        let (audit, answers) = try open(
            [query("show", try IDRange.require(text))], on: connection, options: options)
        let row = try only(answers[0], calledBy: text)
        let (id, total) = try failing((try row.text("id"), try row.integer("total")))
        return AuditedOperation(id: id, summary: row, total: total, audit: audit)
    }

    /// The only operation with an id prefix; throws if there are none or several.
    package static func only(_ found: Rows, calledBy text: String) throws(Failure) -> Row {
        guard let row = found.first else {
            throw Failure(.notFound, "there is no operation \(text)", hint: "`usher audit list` lists the operations")
        }
        if found.rows.count > 1 {
            let lines = found.rows.prefix(10).map { row in
                ["id", "at", "command", "target"].compactMap { row.shown($0)?.text }.joined(separator: "  ")
            }
            let count = found.rows.count > lines.count ? "more than \(lines.count)" : "\(lines.count)"
            throw Failure(
                .conflict, "the ids of \(count) operations begin with \(text)", hint: "write more characters of the id",
                details: lines)
        }
        return row
    }
}

/// Converts a prefix of an operation id into a range of ids.
package enum IDRange {
    /// The first and the last id with a prefix; throws if the text can't be a prefix of an id.
    package static func require(_ text: String) throws(Failure) -> [String] {
        if let range = ends(of: text) { return range }
        throw Failure(
            .notFound, "there is no operation \(text)",
            hint: "write the id, or at least its first 8 characters; `usher audit list` lists the ids")
    }

    /// The first and the last id with a prefix; nil if the text can't be a prefix of an id, or has fewer than 8 digits.
    static func ends(of text: String) -> [String]? {
        let digits = text.filter { $0 != "-" }
        guard (8...32).contains(digits.utf8.count), text.utf8.count <= 36,
            digits.utf8.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) })
        else { return nil }
        let missing = 32 - digits.utf8.count
        return ["0", "f"].map { digits + String(repeating: $0, count: missing) }
    }
}
