/// Composes searches for users by the beginning of a text or by any part of it.
extension Directory {
    /// The number of candidates that a query checks for each requested user; a short text can match very many users.
    private static let reach = 10

    /// True if an index finds the values of a term that begin with a text.
    package func knowsBeginnings(of term: DirectorySource.Term) -> Bool {
        term.isConstant || term.base.map { sorted[$0] != nil || trigrams[$0] != nil } ?? false
    }

    /// True if an index finds the values of a term that contain a text.
    package func knowsParts(of term: DirectorySource.Term) -> Bool {
        term.isConstant || term.base.map { trigrams[$0] != nil } ?? false
    }

    /// Finds the users with a term that begins with a text; each term needs an index for beginnings.
    ///
    /// `keys` are the keys with this beginning, if they are contiguous. The first columns are the key as text, the name
    /// of the key's type, and whether there are more candidates. The facts follow.
    package func beginning(
        with text: String, in terms: [DirectorySource.Term], keys: ClosedRange<String>?, keyType: String, limit: Int
    ) -> ComposedQuery {
        var branches = terms.flatMap { term in
            let order = term.base.flatMap { sorted[$0] }
            return behind(order?.lead, of: term).map { lead in
                branch(term, limit: most(limit)) { value in
                    let lowered: SQL = "pg_catalog.lower((\(value))::text)"
                    let near =
                        order?.isByCodePoints == true
                        ? Self.range(of: lowered, from: text) : "\(lowered) like \(needle(Self.pattern(text) + "%"))"
                    return "\(near) and \(begins(lowered, text))\(lead)"
                }
            }
        }
        if let keys, let key = source?.key {
            branches.append(
                branch(key, limit: most(limit)) { value in
                    "(\(value)) between \(keys.lowerBound, type: keyType) and \(keys.upperBound, type: keyType)"
                })
        }
        return found(branches, keyType: keyType, limit: limit) { begins($0, text) }
    }

    /// Finds the users with a term that contains a text; each term needs a trigram index.
    package func containing(
        _ text: String, in terms: [DirectorySource.Term], keyType: String, limit: Int
    ) -> ComposedQuery {
        let inside = terms.map { term in
            branch(term, limit: most(limit)) { value in
                "pg_catalog.lower((\(value))::text) like \(needle("%" + Self.pattern(text) + "%"))"
            }
        }
        return found(inside, keyType: keyType, limit: limit) { contains($0, text) }
    }

    /// Finds the users whose key or search column begins with a text, or contains it, by reading all users.
    package func scan(for text: String, anywhere: Bool, limit: Int) -> ComposedQuery {
        let isSearched = anySearched { anywhere ? contains($0, text) : begins($0, text) }
        return compose("\(head("false"))\(isSearched) order by \(key) limit \(limit)")
    }

    /// Finds the users whose search columns contain all words in any order, or at least one of the word parts in
    /// `pieces`.
    ///
    /// The search ignores accents. With `terms`, the query finds only users that a trigram index considers similar. The
    /// third column is true if all words match.
    package func resembling(
        words: [String], near name: String, pieces: [String], among terms: [DirectorySource.Term]?, keyType: String,
        limit: Int
    ) -> ComposedQuery {
        func has(_ part: String) -> SQL { "pg_catalog.strpos(f.folded, \(part, type: "text")) > 0" }
        let all: SQL = "(\(words.map(has).joined(separator: " and ")))"
        let any = ([all] + pieces.map(has)).joined(separator: " or ")
        let counted: [SQL] = pieces.map { " + (\(has($0)))::integer" }
        let columns: [SQL] = ([app.users.key] + app.users.search).map { "u.\(name: $0)::text" }
        let near = terms.map { terms in terms.map { similar(to: name, $0, limit: limit) } }
        let isNear: SQL? = near.map { "\(key) = any(array(\(Self.united($0)))::\(unsafe: keyType)[]) and " }
        return compose(
            """
            select \(.keyed(key)), \(all), u.* from \(definition: "users") u \
            cross join lateral (\
            select pg_catalog.concat_ws(' ', \(columns.joined(separator: ", "))) as line offset 0) l \
            cross join lateral (select \(FoldedText.sql("l.line")) as folded offset 0) f \
            where \(isNear)(\(any)) order by \(all) desc, 0\(counted.joined()) desc, \(key) limit \(limit)
            """)
    }

    /// Selects the keys of the rows whose term is similar to a name, the most similar first.
    private func similar(to name: String, _ term: DirectorySource.Term, limit: Int) -> SQL {
        let schema = term.base.flatMap { trigrams[$0] } ?? "public"
        return branch(term, limit: limit) { value in
            """
            pg_catalog.lower((\(value))::text) operator(\(unsafe: schema).%>) \(name, type: "text") \
            order by \(unsafe: schema).word_similarity(\
            \(name, type: "text"), pg_catalog.lower((\(value))::text)) desc
            """
        }
    }

    private func most(_ limit: Int) -> Int { limit * Self.reach }

    /// The text as a LIKE pattern, in which special characters are escaped.
    static func pattern(_ text: String) -> String {
        text.unicodeScalars.map { "\\%_".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    /// The condition that a value is between the ASCII beginning of a text and the first text after all texts that
    /// begin with it.
    ///
    /// All collations agree about the letter case of ASCII letters.
    private static func range(of value: SQL, from text: String) -> SQL {
        let certain = String(text.prefix { $0.isASCII }).lowercased()
        let next = certain.unicodeScalars.last.flatMap { Unicode.Scalar($0.value + 1) }
        let beyond = next.map { String(certain.unicodeScalars.dropLast()) + String($0) }
        let end: SQL? = beyond.map { " and \(value) < \($0, type: "text")" }
        return "\(value) >= \(certain, type: "text")\(end)"
    }

    private func needle(_ text: String) -> SQL { "pg_catalog.lower(\(text, type: "text"))" }

    private func begins(_ value: SQL, _ text: String) -> SQL { "pg_catalog.starts_with(\(value), \(needle(text)))" }

    private func contains(_ value: SQL, _ text: String) -> SQL { "pg_catalog.strpos(\(value), \(needle(text))) > 0" }

    /// The condition that the key or a search column passes a test, in lower case.
    private func anySearched(_ test: Test) -> SQL {
        "(\((["\(key)::text"] + app.users.search.map(lowered)).map(test).joined(separator: " or ")))"
    }

    /// Selects the candidates that also pass a test on the key or a search column.
    private func found(_ branches: [SQL], keyType: String, limit: Int, _ test: Test) -> ComposedQuery {
        let name = "usher candidates"
        let keys: SQL = "(select keys from \(name: name))"
        let hasMore: SQL = "pg_catalog.cardinality(\(keys)) >= \(most(limit))"
        return compose(
            """
            \(query: name)select array(\(Self.united(branches))) as keys)
            \(head(hasMore))\(key) = any(\(keys)::\(unsafe: keyType)[]) and \(anySearched(test)) limit \(limit)
            """)
    }
}
