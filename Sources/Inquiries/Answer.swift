package import AppFile
package import Asking
package import PQ

/// The result of one statement of an app file.
package struct Answer: Sendable {
    package let query: ComposedQuery
    package let result: Result<Rows, ServerError>

    package init(query: ComposedQuery, result: Result<Rows, ServerError>) {
        self.query = query
        self.result = result
    }

    /// The rows, or the reason why usher couldn't read them; an error has its place in the app file.
    package var reading: Result<Rows, Unreadable> {
        result.mapError { Unreadable($0, in: query) }
    }

    /// The rows, or the reason why usher can't show them; with `hiding`, no rows, because they may be incomplete.
    func rows(hiding: Unreadable?) -> (rows: Rows?, unavailable: Unreadable?) {
        if let hiding { return (nil, hiding) }
        switch reading {
        case .success(let rows): return (rows, nil)
        case .failure(let unreadable): return (nil, unreadable)
        }
    }
}

/// The reason why usher couldn't read a part of a screen.
package enum Unreadable: Error, Sendable, Hashable {
    package struct Place: Sendable, Hashable {
        package let file: String
        package let line, column: Int

        package init(file: String, line: Int, column: Int) {
            self.file = file
            self.line = line
            self.column = column
        }
    }

    case server(ServerError)
    case forbidden(ServerError)
    case mistaken(ServerError, at: Place)
    /// The statement ran into a time limit; the place is in the app file.
    case late(ServerError, askedAt: Place?)
    case hidden(role: String, tables: [String])
    /// A reason that is not an error of the server.
    case other(String)

    init(_ error: ServerError, in query: ComposedQuery) {
        let isMistake = error.state.category == "42"
        if error.state == .insufficientPrivilege {
            self = .forbidden(error)
        } else if error.isLate {
            self = .late(error, askedAt: query.purpose.map { Place($0.file, $0.offset) })
        } else if isMistake, let position = error.position, let place = query.origin(ofPosition: position) {
            self = .mistaken(error, at: Place(place.file, place.offset))
        } else {
            self = .server(error)
        }
    }

    /// The error of the server; nil if the reason is something else.
    package var error: ServerError? {
        switch self {
        case .server(let error), .forbidden(let error), .mistaken(let error, _), .late(let error, _): error
        case .hidden, .other: nil
        }
    }
}

extension Rows {
    /// The rows with only the columns at the given indexes.
    func only(_ places: [Int]) -> Rows {
        let kept = places.map { columns[$0] }
        return Rows(
            columns: kept, rows: rows.map { row in Row(columns: kept, values: places.map { row.values[$0] }) },
            affected: affected)
    }
}

extension Unreadable.Place {
    fileprivate init(_ file: SourceFile, _ offset: Int) {
        let (line, column) = file.position(of: offset)
        self.init(file: file.name, line: line, column: column)
    }
}

extension Failure {
    /// The same failure; an error of the server gets its place in the app file.
    func located(in query: ComposedQuery) -> Failure {
        serverError.map { Unreadable($0, in: query).failure } ?? self
    }
}

extension Unreadable {
    package var sentence: String {
        switch self {
        case .server(let error): error.message
        case .forbidden(let error):
            "\(Self.denial(error)); \(Self.grant)"
        case .mistaken(let error, let place): "\(error.message) (\(place.file):\(place.line):\(place.column))"
        case .late(let error, let place):
            "\(place.map { "the result of \($0.file):\($0.line)" } ?? "the result") did not arrive in time: \(error.messageWithTable)"
        case .hidden(let role, let tables):
            Self.sentence(hiding: tables, from: role)
        case .other(let sentence): sentence
        }
    }

    private static func denial(_ error: ServerError) -> String { "your role can't read this: \(error.message)" }

    private static let grant = "ask the owner of the tables for SELECT, or for the role usher_support"

    static func sentence(hiding tables: [String], from role: String) -> String {
        "row security hides rows of \(pasted(tables)) from \(role)"
    }

    /// The failure to throw if a command shows only this part, and the part is unreadable.
    package var failure: Failure {
        if case .forbidden(let error) = self {
            return Failure(error.kind, Self.denial(error), hint: Self.grant, state: error.state)
        }
        guard let error else {
            if case .hidden = self { return Failure(.forbidden, sentence) }
            return Failure(.failed, sentence)
        }
        return Failure(error.kind, sentence, hint: Failure(error).hint, state: error.state)
    }
}
