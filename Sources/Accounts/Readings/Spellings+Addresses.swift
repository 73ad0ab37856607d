internal import PQ

/// Addresses in texts, and those of other users that end like one.
extension Spellings {
    /// The condition under which a text holds an address.
    func address(_ folded: String, _ bindings: inout Bindings) -> String {
        let behindMark = (before: Self.longerBegins, behind: ")" + Self.ends)
        func anyBranch(_ around: [(before: String, behind: String)]) -> String {
            let branches = Self.branches(addresses.spelled)
            let patterns = around.flatMap { around in branches.map { around.before + $0 + around.behind } }
            return "\(folded) ~ any (\(bindings.bind(patterns, of: "text")))"
        }
        // Rows on other servers are asked no more than this.
        if case .anybody = longer { return anyBranch([("(?:\(begins))", Self.ends), behindMark]) }
        func list(_ value: BoundValue) -> String { bindings.bind(value, as: "text[]") }
        // Who else there is stands once in the condition, is asked for once, and only where it comes to that.
        let everybody = selectOthers(&bindings)
        let users = everybody.map { _ in "select o.one from others o" }
        // The server puts the patterns together, which are long, and alike but for the address.
        var tests = ["\(folded) ~ (\(pattern(of: "p.spelled", in: folded, besides: users, &bindings)))"]
        if case .theirs = longer {
            let marked =
                "(\(bindings.bind(behindMark.before, as: "text")) || p.spelled || \(bindings.bind(behindMark.behind, as: "text")))"
            let somebody = users.map { "m.parts[1] <> all (array(\($0)))" } ?? "true"
            tests.append(
                "exists (select from pg_catalog.regexp_matches(\(folded), \(marked), 'g') as m (parts) where \(somebody))"
            )
        }
        // Of many only the few that may stand there are held against it: a server keeps no more than a few patterns ready.
        return """
            exists (\(everybody.map { "with others (one) as materialized (\($0)) " } ?? "")\
            select from rows from (pg_catalog.unnest(\(list(addresses.holding))), \
            pg_catalog.unnest(\(list(addresses.patterns)))) as p (holding, spelled) where \(folded) like p.holding and \
            (\(tests.joined(separator: " or "))))
            """
    }

    /// SQL that gives a pattern of an address that is spelled so, as it stands in a text: no part of a longer one that is another
    /// user's.
    ///
    /// Marks that end an address may be part of one: `user=ada@` is hers unless somebody is called so. Who there is is asked
    /// for a text alone in which such a mark stands beside her.
    func pattern(of spelled: String, in text: String, besides users: String?, _ bindings: inout Bindings) -> String {
        let (begins, ends) = (bindings.bind("(?:\(begins))", as: "text"), bindings.bind(Self.ends, as: "text"))
        guard let users else { return "\(begins) || \(spelled) || \(ends)" }
        let own = """
            rows from (pg_catalog.unnest(\(bindings.bind(addresses.list, as: "text[]"))), \
            pg_catalog.unnest(\(bindings.bind(addresses.patterns, as: "text[]")))) as p (address, spelled)
            """
        let mark = bindings.bind(Self.endingMark, as: "text")
        let further = bindings.bind(Self.markBehind, as: "text")
        let before = rest("pg_catalog.left(u.one, pg_catalog.length(u.one) - pg_catalog.length(p.address))", &bindings)
        let behind = rest("pg_catalog.substr(u.one, pg_catalog.length(p.address) + 1)", &bindings)
        let noneBefore = """
            select '(?<!(?:^|[^[:alnum:]._+''-])(?:' \
            || pg_catalog.string_agg((\(before)) || '(?=' || p.spelled || ')', '|') || '))' \
            from (\(users)) as u (one) join \(own) \
            on pg_catalog.right(u.one, pg_catalog.length(p.address)) = p.address and u.one <> p.address
            """
        let noneBehind = """
            select '(?!(?:' || pg_catalog.string_agg(\(behind), '|') || ')(?![[:alnum:]]))' \
            from (\(users)) as u (one) join \(own) \
            on pg_catalog.left(u.one, pg_catalog.length(p.address)) = p.address and u.one <> p.address
            """
        func beside(_ mark: String, _ marked: String, _ none: String) -> String {
            "case when \(text) ~ \(mark) and \(text) ~* (\(marked)) then coalesce((\(none)), '') else '' end"
        }
        return """
            \(begins) || \(beside(mark, "\(mark) || \(spelled)", noneBefore)) || \(spelled) || \(ends) || \
            \(beside(further, "\(spelled) || \(further)", noneBehind))
            """
    }

    /// What an address has besides one that it begins or ends like, as SQL that gives a pattern of it.
    private func rest(_ letters: String, _ bindings: inout Bindings) -> String {
        """
        (select pg_catalog.string_agg(case when l.letter ~ '[[:alnum:]]' then l.letter else pg_catalog.format(\
        \(bindings.bind(Self.anyLetter, as: "text")), l.letter, pg_catalog.to_hex(pg_catalog.ascii(l.letter)), \
        pg_catalog.ascii(l.letter), case l.letter when '&' then '|&(?:amp;)+' else '' end) end, '' order by l.place) \
        from pg_catalog.regexp_split_to_table(\(letters), '') with ordinality as l (letter, place))
        """
    }

    /// A mark that ends an address and may as well be part of one, as it is or escaped.
    private static let endingMark = "(?:[!#$%&*/=?^_`{|}~;]|(?:%|u00|x)[0-9a-f]{2})"
    /// The same behind it, where more of them end one.
    private static let markBehind = "(?:[-+@]|\(endingMark))"
    /// How a mark stands in texts, by itself, its number in both ways, and what it is called.
    private static let anyLetter =
        "(?:\\\\*\\%1$s|%%(?:25)*%2$s|\\\\+(?:u00|x)%2$s|&(?:amp;)*#(?:0*%3$s|x0*%2$s);%4$s)"

    func selectOthers(_ bindings: inout Bindings) -> String? {
        bindings.attempt { others.select(Self.unseen($0.bind(others.list, as: "text[]"))) }
    }

    /// The condition under which an address begins or ends like one of those that `patterns` are of, at a mark.
    static func isLonger(_ address: String, like patterns: String) -> String {
        let plain = "\(address) collate pg_catalog.\"C\""
        let marks = "[!#$%&''*+/=?^`{|}~_-]"
        return "\(plain) ~ '(\(marks)[^@]*@|@.*(\(marks)|@))' and \(plain) like any (\(patterns))"
    }

    /// Patterns for LIKE of addresses that are longer, as a list.
    static func longer(than addresses: [String]) -> BoundValue {
        BoundValue(addresses.map { literally($0.lowercased()) }.flatMap { ["%_\($0)", "\($0)_%"] }, of: "text")
    }
}
