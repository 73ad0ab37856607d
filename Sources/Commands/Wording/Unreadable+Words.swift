package import Inquiries
import PQ

extension Unreadable {
    /// Why, for people.
    package var sentence: String {
        switch self {
        case .server(let error): error.message
        case .forbidden(let error):
            "\(error.message), which usher_support, usher_admin and usher_engineer may read where what "
                + "`usher roles sql` prints was run"
        case .mistaken(let error, let place): "\(error.message) (\(place.file):\(place.line):\(place.column))"
        case .late(let error, let place):
            "not read in time\(place.map { " what \($0.file):\($0.line) asks for" } ?? ""): \(error.told)"
        case .hidden(let role, let tables):
            "hidden by row security: \(role) may not see every row of \(pasted(tables))"
        case .noFacts: "the decision knows nothing about this user"
        case .noRule: "no rule holds"
        case .repeated(let rows):
            "\(rows) rows of the directory are of users it lists already"
        }
    }
}
