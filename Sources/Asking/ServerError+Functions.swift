internal import PQ

extension ServerError {
    /// The functions in which it happened, the innermost first, as the context names them.
    package var functions: [String] {
        (context ?? "").split(separator: "\n").compactMap { line in
            guard let phrase = line.firstRange(of: "PL/pgSQL function ") else { return nil }
            let rest = line[phrase.upperBound...]
            // What could not even be compiled stands in quotes and without its arguments.
            if rest.first == "\"", !rest.contains("(") {
                return rest.dropFirst().split(separator: "\"").first.map(String.init)
            }
            return rest.split(separator: "(").first.map(String.init)
        }
    }

    /// The table whose rows the database was deleting or emptying by a foreign key when a trigger failed.
    package var cascadedTable: String? {
        for line in (context ?? "").split(separator: "\n") {
            for verb in ["SQL statement \"DELETE FROM ONLY ", "SQL statement \"UPDATE ONLY "] {
                guard let phrase = line.firstRange(of: verb) else { continue }
                let names =
                    line[phrase.upperBound...].split(separator: " ").first?.split(separator: "\"").filter { $0 != "." }
                    ?? []
                if names.count == 2 { return names.joined(separator: ".") }
            }
        }
        return nil
    }

    /// Whether a function does not find what it names, as one does that needs the search path of the app.
    package var lacksSearchPath: Bool {
        let states: [SQLState] = [.undefinedObject, .undefinedTable, .undefinedFunction]
        return states.contains(state) && !functions.isEmpty
    }
}
