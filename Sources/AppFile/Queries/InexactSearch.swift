/// Composes searches for users by the beginning of a text or by any part of it.
extension Directory {
    /// The number of candidates that a query checks for each requested user; a short text can match very many users.
    private static let reach = 10

    /// True if an index finds the values of a term that begin with a text.
    package func knowsBeginnings(of term: DirectorySource.Term) -> Bool {
        term.isConstant || term.base.map { orders[$0] != nil || trigrams[$0] != nil } ?? false
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
        // All collations agree about the letter case of ASCII letters.
        let certain = String(text.prefix { $0.isASCII }).lowercased()
        let begins: Test = { value in
            [.text("pg_catalog.starts_with(")] + value + [.text(", ")] + needle(text) + [.text(")")]
        }
        var branches = terms.flatMap { term in
            let order = term.base.flatMap { orders[$0] }
            return behind(order?.lead, of: term).map { lead in
                branch(term, limit: most(limit)) { value in
                    let lowered: [Composer.Piece] = [.text("pg_catalog.lower((")] + value + [.text(")::text)")]
                    let near =
                        order?.order.range(of: lowered, from: certain)
                        ?? lowered + [.text(" like ")] + needle(Self.pattern(text) + "%")
                    return near + [.text(" and ")] + begins(lowered) + lead
                }
            }
        }
        if let keys, let key = source?.key {
            branches.append(
                branch(key, limit: most(limit)) { value in
                    [.text("(")] + value + [
                        .text(") between "), .value(keys.lowerBound, type: keyType), .text(" and "),
                    ]
                        + [.value(keys.upperBound, type: keyType)]
                })
        }
        return found(branches, keyType: keyType, limit: limit, begins)
    }

    /// Finds the users with a term that contains a text; each term needs a trigram index.
    package func containing(
        _ text: String, in terms: [DirectorySource.Term], keyType: String, limit: Int
    ) -> ComposedQuery {
        let inside = terms.map { term in
            branch(term, limit: most(limit)) { value in
                [.text("pg_catalog.lower((")] + value + [.text(")::text) like ")]
                    + needle("%" + Self.pattern(text) + "%")
            }
        }
        return found(inside, keyType: keyType, limit: limit) { value in
            [.text("pg_catalog.strpos(")] + value + [.text(", ")] + needle(text) + [.text(") > 0")]
        }
    }

    /// Finds the users whose key or search column begins with a text, or contains it, by reading all users.
    package func scan(
        for text: String, anywhere: Bool, limit: Int
    ) -> ComposedQuery {
        let test = anySearched { value in
            anywhere
                ? [.text("pg_catalog.strpos(")] + value + [.text(", ")] + needle(text) + [.text(") > 0")]
                : [.text("pg_catalog.starts_with(")] + value + [.text(", ")] + needle(text) + [.text(")")]
        }
        return compose(head("false") + test + [.text(" order by \(key) limit \(limit)")])
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
        func has(_ part: String) -> [Composer.Piece] {
            [.text("pg_catalog.strpos(f.folded, "), .value(part, type: "text"), .text(") > 0")]
        }
        let all = [.text("(")] + Array(words.map(has).joined(separator: [.text(" and ")])) + [.text(")")]
        let counted = [.text("0")] + pieces.flatMap { [.text(" + (")] + has($0) + [.text(")::integer")] }
        let columns = ([key] + app.users.search.map { "u.\(Composer.quoted($0))" }).map { "\($0)::text" }
        let searched = "(select pg_catalog.concat_ws(' ', \(columns.joined(separator: ", "))) as line offset 0) l"
        var sql: [Composer.Piece] =
            [.text("select \(Composer.keyed(key)), ")] + all + [.text(", u.* from "), .definition("users")]
        sql += [.text(" u cross join lateral \(searched) cross join lateral (select ")] + FoldedText.sql("l.line")
        sql.append(.text(" as folded offset 0) f where "))
        if let terms {
            let near = terms.map { term in
                branch(term, limit: limit) { value in
                    let schema = term.base.flatMap { trigrams[$0] } ?? "public"
                    let lowered: [Composer.Piece] = [.text("pg_catalog.lower((")] + value + [.text(")::text)")]
                    let wanted: Composer.Piece = .value(name, type: "text")
                    return lowered + [.text(" operator(\(schema).%>) "), wanted]
                        + [.text(" order by \(schema).word_similarity("), wanted, .text(", ")] + lowered + [
                            .text(") desc")
                        ]
                }
            }
            sql += [.text("\(key) = any(array(")] + Self.united(near) + [.text(")::\(keyType)[]) and ")]
        }
        sql += [.text("(")] + all + pieces.flatMap { [.text(" or ")] + has($0) } + [.text(") order by ")] + all
        sql += [.text(" desc, ")] + counted + [.text(" desc, \(key) limit \(limit)")]
        return compose(sql)
    }

    // MARK: Pieces

    private func most(_ limit: Int) -> Int { limit * Self.reach }

    /// The text as a LIKE pattern, in which special characters are escaped.
    static func pattern(_ text: String) -> String {
        text.unicodeScalars.map { "\\%_".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private func needle(_ text: String) -> [Composer.Piece] {
        [.text("pg_catalog.lower("), .value(text, type: "text"), .text(")")]
    }

    /// The condition that the key or a search column passes a test, in lower case.
    private func anySearched(_ test: Test) -> [Composer.Piece] {
        [.text("(")] + test([.text("\(key)::text")])
            + app.users.search.flatMap { [.text(" or ")] + test([.text(lowered($0))]) } + [.text(")")]
    }

    /// Selects the candidates that also pass a test on the key or a search column.
    private func found(
        _ branches: [[Composer.Piece]], keyType: String, limit: Int, _ test: Test
    ) -> ComposedQuery {
        let name = "usher candidates"
        var pieces: [Composer.Piece] = [.query(name), .text("select array(")]
        pieces += Self.united(branches) + [.text(") as keys)\n")]
        let keys = "(select keys from \(Composer.quoted(name)))"
        pieces += head("pg_catalog.cardinality(\(keys)) >= \(most(limit))")
        pieces.append(.text("\(key) = any(\(keys)::\(keyType)[]) and "))
        return compose(pieces + anySearched(test) + [.text(" limit \(limit)")])
    }
}

extension App {
    /// The app with the emails as its only search columns, for the completion of an email.
    package var searchingEmails: App {
        var app = self
        app.users.search = users.emails
        return app
    }
}

extension Directory.Order {
    /// The condition that a value is between a text and the first text after all texts that begin with it.
    func range(of value: [Composer.Piece], from text: String) -> [Composer.Piece] {
        let collation: String
        let (least, beyond): (String, String)
        switch self {
        case .pattern: (collation, least, beyond) = ("", "~>=~", "~<~")
        case .codePoints(let name): (collation, least, beyond) = (name.map { " collate \($0)" } ?? "", ">=", "<")
        }
        var pieces = value + [.text("\(collation) \(least) "), .value(text, type: "text")]
        if let next = Self.successor(of: text) {
            pieces += [.text(" and ")] + value + [.text("\(collation) \(beyond) ")]
            pieces.append(.value(next, type: "text"))
        }
        return pieces
    }

    /// The first text after all texts that begin with an ASCII text; nil if there is none.
    private static func successor(of text: String) -> String? {
        guard let last = text.unicodeScalars.last, let next = Unicode.Scalar(last.value + 1) else { return nil }
        return String(text.unicodeScalars.dropLast()) + String(next)
    }
}
