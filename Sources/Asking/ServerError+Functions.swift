internal import PQ

extension ServerError {
    /// The depth of a function in the context of the error: a smaller number is further inside.
    ///
    /// After the name is a bracket or, if the function could not be compiled, a quote. The words around the name are in
    /// the server's language.
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

    /// The table whose rows a foreign key was deleting or emptying when a trigger failed.
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

    /// True if a function doesn't find a name because it needs the app's search path.
    package var lacksSearchPath: Bool {
        let states: [SQLState] = [.undefinedObject, .undefinedTable, .undefinedFunction]
        return states.contains(state) && isInside
    }
}
