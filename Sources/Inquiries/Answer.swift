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

    /// True if the statement succeeded.
    var isRead: Bool { if case .success = result { true } else { false } }

    /// The rows, or the reason why there are none; an error contains its place in the app file.
    package var reading: Result<Rows, Unreadable> {
        result.mapError { Unreadable($0, in: query) }
    }

    /// The rows, or the reason why there are none; with `hiding`, the rows may be incomplete and are left out.
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
    /// The role lacks a right to read the data.
    case forbidden(ServerError)
    /// The server rejects the SQL at a place of the app file.
    case mistaken(ServerError, at: Place)
    /// The statement ran into a time limit; the place is in the app file.
    case late(ServerError, askedAt: Place?)
    /// Row security hides rows of some tables from the role.
    case hidden(role: String, tables: [String])
    /// For a decision: its select returns no facts about the user, or no rule applies.
    case noFacts, noRule
    /// The number of rows of `@users` whose user already has another row.
    case repeated(Int)
    /// For a quota: the number of rows of one user, or the number of users with several rows.
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

    /// The error of the server; nil if the reason is something else.
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
    /// The same failure; an error of the server gets its place in the app file.
    func located(in query: ComposedQuery) -> Failure {
        serverError.map { Unreadable($0, in: query).failure } ?? self
    }
}

extension Unreadable {
    /// The reason as a sentence.
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
        case .noFacts: "the SQL of the decision returns no row for this user"
        case .noRule: "no rule of the decision applies"
        case .repeated(let rows):
            "@users returns \(rows) users more than once"
        case .severalRows(let count): "the quota returns \(count) rows for this user instead of one"
        case .usersWithSeveralRows(let count):
            "the quota returns several rows for \(count.of("user")) instead of one each"
        }
    }

    private static func denial(_ error: ServerError) -> String { "your role can't read this: \(error.message)" }

    private static let grant = "ask the database owner for the role usher_support"

    /// The sentence that row security hides rows of some tables from a role.
    static func sentence(hiding tables: [String], from role: String) -> String {
        "row security hides rows of \(pasted(tables)) from \(role)"
    }

    /// The failure of a command that shows only the unreadable part.
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
