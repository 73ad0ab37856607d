package import AppFile
import Asking
package import PQ

/// The answer to one statement of an app file.
package struct Answer: Sendable {
    package let query: ComposedQuery
    package let result: Result<Rows, ServerError>

    package init(query: ComposedQuery, result: Result<Rows, ServerError>) {
        self.query = query
        self.result = result
    }

    /// True if there are rows.
    var isRead: Bool { if case .success = result { true } else { false } }

    /// The rows, or why there are none, with the place in the app file.
    package var reading: Result<Rows, Unreadable> {
        result.mapError { Unreadable($0, in: query) }
    }

    /// The rows, or why there are none to show; rows that may not be all of them are none.
    func rows(hiding: Unreadable?) -> (rows: Rows?, unavailable: Unreadable?) {
        if let hiding { return (nil, hiding) }
        switch reading {
        case .success(let rows): return (rows, nil)
        case .failure(let unreadable): return (nil, unreadable)
        }
    }
}

/// The reason why a part of a screen could not be read.
package enum Unreadable: Error, Sendable, Hashable {
    /// A place in an app file.
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
    /// The role may not read it.
    case forbidden(ServerError)
    /// The server does not understand what the app file asks for at a place.
    case mistaken(ServerError, at: Place)
    /// It was not read in time; where the app file asks for it.
    case late(ServerError, askedAt: Place?)
    /// Row security keeps rows of some tables from a role.
    case hidden(role: String, tables: [String])
    /// Of a decision: it knows nothing about the user, or none of its rules holds.
    case noFacts, noRule
    /// So many rows of the directory are of users whom it lists already.
    case repeated(Int)
    /// Of a quota: it has so many rows for one user, or several rows for so many of all users, and not one number of one limit.
    case severalRows(Int)
    case usersWithSeveralRows(Int)

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

    /// The error of the server, if the server refused.
    package var error: ServerError? {
        switch self {
        case .server(let error), .forbidden(let error), .mistaken(let error, _), .late(let error, _): error
        case .hidden, .noFacts, .noRule, .repeated, .severalRows, .usersWithSeveralRows: nil
        }
    }
}

extension Unreadable.Place {
    fileprivate init(_ file: SourceFile, _ offset: Int) {
        let (line, column) = file.position(of: offset)
        self.init(file: file.name, line: line, column: column)
    }
}

extension Failure {
    /// The same, as what of a statement the server could not be read, where the server said that.
    func told(of query: ComposedQuery) -> Failure {
        serverError.map { Unreadable($0, in: query).failure } ?? self
    }
}
