package import PQ

extension ServerError {
    /// The kind of failure for the SQLSTATE; codes that begin with US come from functions of the schema `usher`.
    package var kind: Failure.Kind {
        switch state.rawValue {
        case "US001": .failed
        case "US002": .usage
        case "US003", "US008", "US009", "US010": .refused
        case "US004": .notFound
        case "US005": .forbidden
        case "US006": .conflict
        default:
            switch state.category {
            case "42" where state == .insufficientPrivilege: .forbidden
            case "08", "28", "53", "3D": .connection
            case "57" where state != .queryCanceled: .connection
            default: .failed
            }
        }
    }

    /// True if a function of the schema `usher` raised the error.
    package var isOfUsher: Bool {
        ["US001", "US002", "US003", "US004", "US005", "US006", "US008", "US009", "US010"].contains(state.rawValue)
    }

    /// True if the statement ran into a time limit, also one for locks.
    package var isLate: Bool { state == .queryCanceled || state == .lockNotAvailable }
}

extension ServerError {
    /// The position of a function in the context of the error: a smaller number is a more deeply nested call.
    ///
    /// The context has a bracket after the function's name, or quotes around it if the function could not be compiled.
    /// The other words are in the server's language, so only these marks identify a function.
    package func depth(of function: String) -> Int? {
        let bare = function.split(separator: ".").last.map(String.init) ?? function
        guard let context, !bare.isEmpty else { return nil }
        for place in context.ranges(of: bare) {
            let before = context[..<place.lowerBound].unicodeScalars.last
            let after = context[place.upperBound...].unicodeScalars.first
            let isCalled = after == "(" && !(before.map(Self.isOfName) ?? false)
            let isQuoted = [before, after].allSatisfy { $0 == "\"" || $0.map { !$0.isASCII } == true }
            if isCalled || isQuoted { return context.distance(from: context.startIndex, to: place.lowerBound) }
        }
        return nil
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// The table that a foreign key's cascade was changing when a trigger failed.
    package var cascadedTable: String? {
        for line in (context ?? "").split(separator: "\n") {
            for verb in ["DELETE FROM ONLY ", "UPDATE ONLY "] {
                guard let phrase = line.firstRange(of: verb) else { continue }
                let names =
                    line[phrase.upperBound...].split(separator: " ").first?.split(separator: "\"").filter { $0 != "." }
                    ?? []
                if names.count == 2 { return names.joined(separator: ".") }
            }
        }
        return nil
    }

    /// True if a function fails to find a name because its search path lacks the app's schema.
    package var lacksSearchPath: Bool {
        let states: [SQLState] = [.undefinedObject, .undefinedTable, .undefinedFunction]
        return states.contains(state) && isInside
    }
}
