package import AppFile
package import Asking
package import PQ

/// The result of one statement of an app file.
package struct Answer: Sendable {
    package let query: ComposedQuery
    package let result: Result<Rows, ServerError>

    /// The rows; throws an error of the server together with its place in the app file.
    package func get() throws(Failure) -> Rows { try reading.get() }

    /// The rows, or the reason why usher couldn't read them, with its place in the app file.
    package var reading: Result<Rows, Failure> { result.mapError { Failure($0, in: query) } }

    /// The rows, or the reason why usher can't show them; `hiding` is the reason if row security may hide rows.
    func rows(hiding: Failure?) -> (rows: Rows?, unavailable: Failure?) {
        if let hiding { return (nil, hiding) }
        switch reading {
        case .success(let rows): return (rows, nil)
        case .failure(let failure): return (nil, failure)
        }
    }
}

extension Rows {
    func prefix(_ most: Int) -> Rows {
        Rows(columns: columns, rows: Array(rows.prefix(most)), affected: affected)
    }

    /// The rows with only the columns at the given indexes.
    func only(_ places: [Int]) -> Rows {
        let kept = places.map { columns[$0] }
        return Rows(
            columns: kept, rows: rows.map { row in Row(columns: kept, values: places.map { row.values[$0] }) },
            affected: affected)
    }
}

extension Failure {
    /// Creates the failure of a statement of an app file; the message contains the place of a mistake in the file.
    init(_ error: ServerError, in query: ComposedQuery) {
        var message = error.message
        var hint = Failure(error).hint
        if error.state == .insufficientPrivilege {
            message = "your role can't read this data: \(error.message)"
            hint = "ask the owner of the tables for SELECT, or for the role usher_support"
        } else if error.isLate {
            let source = query.purpose.map { place in
                "the result of \(place.file.name):\(place.file.position(of: place.offset).line)"
            }
            message = "\(source ?? "the result") did not arrive in time: \(error.messageWithTable)"
        } else if error.state.category == "42", let position = error.position,
            let place = query.origin(ofPosition: position)
        {
            let (line, column) = place.file.position(of: place.offset)
            message = "\(error.message) (\(place.file.name):\(line):\(column))"
            if error.state == .undefinedColumn {
                hint = hint ?? "if only some databases have this column, declare it with `@optional` in the app file"
            }
        }
        self.init(error.kind, message, hint: hint, state: error.state, cause: .server(error))
    }

    /// The reason why a part of a screen is unavailable; for a missing right, with the hint.
    package var sentence: String { kind == .forbidden ? hint.map { "\(message); \($0)" } ?? message : message }

    /// True if the statement ran into a time limit.
    var isLate: Bool { serverError?.isLate ?? false }
}
