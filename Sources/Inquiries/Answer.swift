package import AppFile
package import Asking
package import PQ

/// The answer to one statement of an app file.
package struct Answer: Sendable {
    package let query: ComposedQuery
    package let result: Result<Rows, ServerError>

    package init(query: ComposedQuery, result: Result<Rows, ServerError>) {
        self.query = query
        self.result = result
    }

    /// The rows, or why there are none in a sentence that names the place in the app file.
    package var reading: Result<Rows, Unreadable> {
        result.mapError { Unreadable($0, in: query) }
    }

    /// The rows, or why there are none to show; rows that may not be all of them are none.
    func rows(hiding: String?) -> (rows: Rows?, unavailable: String?) {
        if let hiding { return (nil, hiding) }
        switch reading {
        case .success(let rows): return (rows, nil)
        case .failure(let unreadable): return (nil, unreadable.reason)
        }
    }
}

/// Why a part of a screen could not be read.
package struct Unreadable: Error, Sendable {
    package let error: ServerError
    package let reason: String

    init(_ error: ServerError, in query: ComposedQuery) {
        self.error = error
        let isMistake = error.state.category == "42" && error.state != .insufficientPrivilege
        if error.state == .queryCanceled {
            let place = query.purpose.map { " what \($0.file.name):\($0.file.position(of: $0.offset).line) asks for" }
            reason = "not read in time\(place ?? ""): \(error.message)"
        } else if isMistake, let position = error.position, let place = query.origin(ofPosition: position) {
            let (line, column) = place.file.position(of: place.offset)
            reason = "\(error.message) (\(place.file.name):\(line):\(column))"
        } else {
            reason = error.message
        }
    }

    /// The failure that a whole command ends with when this part is all it needed.
    package var failure: Failure { Failure(InquiryRefusal.unreadable(error, reason: reason)) }
}
