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
        // The server puts the patterns together, which are long, and alike but for the address.
        let clear =
            "(\(begins(in: folded, before: "p.spelled", &bindings)) || p.spelled || \(bindings.bind(Self.ends, as: "text")))"
        var tests = ["\(folded) ~ \(clear)"]
        if case .theirs = longer {
            let marked =
                "(\(bindings.bind(behindMark.before, as: "text")) || p.spelled || \(bindings.bind(behindMark.behind, as: "text")))"
            let somebody = selectOthers(&bindings).map { "m.parts[1] <> all (array(\($0)))" } ?? "true"
            tests.append(
                "exists (select from pg_catalog.regexp_matches(\(folded), \(marked), 'g') as m (parts) where \(somebody))"
            )
        }
        // Of many only the few that may stand there are held against it: a server keeps no more than a few patterns ready.
        return """
            exists (select from rows from (pg_catalog.unnest(\(list(addresses.holding))), \
            pg_catalog.unnest(\(list(addresses.patterns)))) as p (holding, spelled) where \(folded) like p.holding and \
            (\(tests.joined(separator: " or "))))
            """
    }

    /// What stands before an address in a text, as SQL that gives a pattern: no beginning of a longer one that is another user's.
    ///
    /// Marks that end an address may be part of one: `user=ada@` is hers unless somebody is called so. Who there is is asked
    /// for a text alone in which such a mark stands before her.
    func begins(in text: String, before spelled: String, _ bindings: inout Bindings) -> String {
        let begins = bindings.bind("(?:\(begins))", as: "text")
        guard let users = selectOthers(&bindings) else { return begins }
        let mark = bindings.bind(Self.endingMark, as: "text")
        let letters = """
            select pg_catalog.string_agg(case when l.letter ~ '[[:alnum:]]' then l.letter else pg_catalog.format(\
            \(bindings.bind(Self.anyLetter, as: "text")), l.letter, pg_catalog.to_hex(pg_catalog.ascii(l.letter)), \
            pg_catalog.ascii(l.letter), case l.letter when '&' then '|&(?:amp;)+' else '' end) end, '' order by l.place) \
            from pg_catalog.regexp_split_to_table(\
            pg_catalog.left(u.one, pg_catalog.length(u.one) - pg_catalog.length(p.address)), '') \
            with ordinality as l (letter, place)
            """
        let longer = """
            select '(?<!(?:^|[^[:alnum:]._+''-])(?:' \
            || pg_catalog.string_agg((\(letters)) || '(?=' || p.spelled || ')', '|') || '))' \
            from (\(users)) as u (one) join rows from (pg_catalog.unnest(\(bindings.bind(addresses.list, as: "text[]"))), \
            pg_catalog.unnest(\(bindings.bind(addresses.patterns, as: "text[]")))) as p (address, spelled) \
            on pg_catalog.right(u.one, pg_catalog.length(p.address)) = p.address and u.one <> p.address
            """
        return """
            (\(begins) || case when \(text) ~ \(mark) and \(text) ~* (\(mark) || \(spelled)) \
            then coalesce((\(longer)), '') else '' end)
            """
    }

    /// A mark that ends an address and may as well be part of one, as it is or escaped.
    private static let endingMark = "(?:[!#$%&*/=?^_`{|}~;]|(?:%|u00|x)[0-9a-f]{2})"
    /// How a mark stands in texts, by itself, its number in both ways, and what it is called.
    private static let anyLetter =
        "(?:\\\\*\\%1$s|%%(?:25)*%2$s|\\\\+(?:u00|x)%2$s|&(?:amp;)*#(?:0*%3$s|x0*%2$s);%4$s)"

    private func selectOthers(_ bindings: inout Bindings) -> String? {
        bindings.attempt { others.select(Self.unseen($0.bind(others.list, as: "text[]"))) }
    }

    /// The condition under which an address ends like one of those that `endings` are of, behind a mark.
    static func ends(_ address: String, like endings: String) -> String {
        let plain = "\(address) collate pg_catalog.\"C\""
        return "\(plain) ~ '[!#$%&''*+/=?^`{|}~_-][^@]*@' and \(plain) like any (\(endings))"
    }

    /// Patterns for LIKE of addresses that are longer, as a list.
    static func endings(of addresses: [String]) -> BoundValue {
        BoundValue(addresses.map { "%_\(literally($0.lowercased()))" }, of: "text")
    }
}
