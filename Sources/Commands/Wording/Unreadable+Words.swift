package import Inquiries
import PQ

extension Unreadable {
    /// Why, for people.
    package var sentence: String {
        switch self {
        case .server(let error): error.message
        case .forbidden(let error):
            "\(error.message); `usher roles sql` prints the grants that operators need"
        case .mistaken(let error, let place): "\(error.message) (\(place.file):\(place.line):\(place.column))"
        case .late(let error, let place):
            "not read in time\(place.map { " what \($0.file):\($0.line) asks for" } ?? ""): \(error.told)"
        case .hidden(let role, let tables):
            "row security hides rows of \(pasted(tables)) from \(role)"
        case .noFacts: "the decision has no row for this user"
        case .noRule: "no rule applies"
        case .repeated(let rows):
            "\(rows) rows of @users repeat a user"
        }
    }
}
