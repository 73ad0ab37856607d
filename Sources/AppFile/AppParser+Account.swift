/// What an account is made of.
extension AppParser {
    /// All `@account` blocks of a file and its includes add up to one.
    mutating func account(_ blocks: [Block]) -> App.Account? {
        guard let first = blocks.first else { return nil }
        guard let root = blocks.compactMap({ $0.first("root") }).first else {
            report("@account needs a @root", at: first.directive)
            return nil
        }
        func all(_ word: String) -> [Directive] { blocks.flatMap { $0.all(word) } }
        return App.Account(
            root: root.text, place: place(of: root),
            references: all("reference").compactMap { directive in
                // The last arrow: an expression over JSON may hold others before it.
                split(directive, atLast: " -> ", as: "A -> B").map {
                    .init(from: $0, to: $1, place: place(of: directive))
                }
            },
            kept: all("keep").compactMap { directive in
                split(directive, atLast: " : ", as: "TABLE : WHY").map {
                    .init(table: $0, why: $1, place: place(of: directive))
                }
            },
            anonymised: all("anonymise").compactMap { anonymised($0) },
            files: all("files").map { directive in
                let (bucket, prefix) = directive.head
                if prefix.isEmpty { report("write @files BUCKET PREFIX", at: directive) }
                return .init(bucket: bucket, prefix: String(prefix), place: place(of: directive))
            },
            secrets: all("secret").map { .init(column: $0.text, place: place(of: $0)) })
    }

    private mutating func anonymised(_ directive: Directive) -> App.Account.Anonymised? {
        let form = "TABLE.COLUMN = EXPRESSION : WHY"
        // The reason stands behind the last colon with spaces around it: a cast or a JSON text holds others.
        guard let (assignment, why) = split(directive, atLast: " : ", as: form) else { return nil }
        guard let equals = assignment.firstIndex(of: "=") else {
            report("write @anonymise \(form)", at: directive)
            return nil
        }
        let expression = trim(assignment[assignment.index(after: equals)...])
        return .init(
            column: String(trim(assignment[..<equals])), expression: String(expression), why: why,
            place: place(of: directive))
    }

    /// The two sides of the first mark in a text.
    mutating func split(
        _ directive: Directive, atFirst mark: Character, as form: String
    ) -> (String, String)? {
        let text = directive.text
        if let place = text.firstIndex(of: mark) {
            let (left, right) = (trim(text[..<place]), trim(text[text.index(after: place)...]))
            if !left.isEmpty, !right.isEmpty { return (String(left), String(right)) }
        }
        report("write @\(directive.word) \(form)", at: directive)
        return nil
    }

    private mutating func split(
        _ directive: Directive, atLast mark: String, as form: String
    ) -> (String, String)? {
        let text = directive.text
        let start = text.indices.last { text[$0...].hasPrefix(mark) }
        let parts = start.map { (trim(text[..<$0]), trim(text[text.index($0, offsetBy: mark.count)...])) }
        guard let (left, right) = parts, !left.isEmpty, !right.isEmpty else {
            report("write @\(directive.word) \(form)", at: directive)
            return nil
        }
        return (String(left), String(right))
    }
}
