import AppFile
package import Asking
import PQ

extension Unreadable {
    /// Why, for people.
    package var sentence: String {
        switch self {
        case .server(let error): error.message
        case .forbidden(let error):
            "\(error.message); ask the database owner for a role such as usher_support"
        case .mistaken(let error, let place): "\(error.message) (\(place.file):\(place.line):\(place.column))"
        case .late(let error, let place):
            "\(place.map { "the result of \($0.file):\($0.line)" } ?? "the result") did not arrive in time: \(error.told)"
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

    /// The sentence for rows that row security hides from a role.
    static func sentence(hiding tables: [String], from role: String) -> String {
        "row security hides rows of \(pasted(tables)) from \(role)"
    }

    /// The failure of a command that only needs this part.
    package var failure: Failure {
        guard let error else {
            if case .hidden = self { return Failure(.forbidden, sentence) }
            return Failure(.failed, sentence)
        }
        return Failure(error.kind, sentence, hint: Failure(error).hint, state: error.state)
    }
}
