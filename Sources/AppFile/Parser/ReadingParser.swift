/// Parses users, objects, definitions, panels, timelines, quotas and statistics.
struct ReadingParser: BlockParser {
    let blocks: AppBlocks
    var diagnostics: [Diagnostic] = []

    mutating func users() -> App.Users {
        guard let block = blocks["users"].first else {
            report("the file has no @users", at: blocks.file.place(at: 0))
            return App.Users(
                key: "", emails: [], search: [], columns: [], meanings: [], links: [],
                select: Fragment(file: blocks.file, tokens: []),
                selections: [], place: blocks.file.place(at: 0))
        }
        checkRemarks(of: block)
        let emails = block.first("email").map { names(of: $0) } ?? []
        return App.Users(
            key: key(of: block), emails: emails, search: block.first("search").map { names(of: $0) } ?? emails,
            columns: columns(of: block), meanings: meanings(of: block), links: links(of: block),
            select: block.directive.select,
            selections: selections(of: block), place: block.directive.place)
    }

    private mutating func meanings(of block: Block) -> [App.Meaning] {
        var seen: Set<String> = []
        return block.all("fact").filter { !$0.text.isEmpty }.compactMap { directive in
            guard let (name, text) = parts(AccountLine.cut(directive.text[...], at: ":"), of: directive)
            else { return nil }
            guard let fact = SQLName.name(name) else {
                report(formOf: directive)
                return nil
            }
            if !seen.insert(fact).inserted {
                report("@fact \(fact) appears twice", at: directive)
            }
            return App.Meaning(fact: fact, text: text, place: directive.textPlace)
        }
    }

    private mutating func links(of block: Block) -> [App.Link] {
        block.all("link").filter { !$0.text.isEmpty }.compactMap { directive in
            let text = trim(directive.text[...])
            guard let space = text.lastIndex(of: " ") else {
                report("write @link TITLE URL; the URL can contain {facts}", at: directive)
                return nil
            }
            let address = text[text.index(after: space)...]
            guard address.hasPrefix("https://") else {
                report("the URL of a link must begin with https://", at: directive)
                return nil
            }
            return App.Link(
                title: String(trim(text[..<space])), address: sentence(address, of: directive),
                place: directive.textPlace)
        }
    }

    mutating func elsewhere(_ block: Block) -> App.Elsewhere? {
        let text = block.directive.text
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(trim)
        let words = halves[0].split(separator: " ")
        guard (1...2).contains(words.count), halves.count == 2, !halves[1].isEmpty else {
            report(formOf: block.directive)
            return nil
        }
        return App.Elsewhere(
            name: String(words[0]), pattern: words.count == 2 ? String(words[1]) : nil,
            sentence: sentence(halves[1], of: block.directive), links: links(of: block))
    }

    private mutating func selections(of block: Block) -> [App.Selection] {
        var seen: Set<String> = []
        return block.all("select").map { directive in
            let (name, rest) = directive.head
            if !seen.insert(name).inserted {
                report("the name \(name) is already taken", at: directive)
            }
            return App.Selection(name: name, sentence: sentence(rest, of: directive), condition: directive.select)
        }
    }

    mutating func object(_ block: Block) -> App.ObjectKind {
        checkName(of: block)
        checkRemarks(of: block)
        checkOptions("select", of: block)
        return App.ObjectKind(
            noun: block.name, summary: String(block.directive.head.rest), key: key(of: block),
            userColumn: block.first("user").map { column(of: $0) },
            members: block.first("members")?.select, search: block.first("search").map { names(of: $0) } ?? [],
            columns: columns(of: block), select: block.directive.select, order: order(of: block),
            selections: selections(of: block),
            place: block.directive.place)
    }

    /// The columns by which usher sorts a list of objects.
    private mutating func order(of block: Block) -> [App.SortColumn] {
        guard let directive = block.first("order") else { return [] }
        var columns: [App.SortColumn] = []
        for part in directive.text.split(separator: ",", omittingEmptySubsequences: false) {
            let item = trim(part)
            let isDescending = item.lowercased().hasSuffix(" desc")
            let found = names(isDescending ? trim(item.dropLast(" desc".count)) : item, of: directive)
            columns += found.map { .init($0, isDescending: isDescending) }
        }
        return columns
    }

    mutating func definition(_ block: Block) -> App.Definition {
        checkName(of: block)
        let directive = block.directive
        let rest = trim(directive.text[directive.relationName.endIndex...])
        var columns: [String] = []
        if rest.utf8.first == UInt8(ascii: "(") {
            let list = rest.dropFirst()
            if let close = AccountLine.places(of: ")", in: list).first {
                columns = names(list[..<close], of: directive)
            } else {
                report("the list of columns is never closed", at: directive.place(of: rest))
            }
        }
        return App.Definition(name: block.name, columns: columns, select: directive.select)
    }

    /// The panels in the order of their `@order`; panels without an `@order` come last.
    mutating func panels() -> [App.Panel] {
        let decisions = blocks["decision"].map(\.name)
        let ordered = each("panel") { parser, block in
            (order: parser.number("order", of: block) ?? Int.max, panel: parser.panel(block, decisions))
        }
        return ordered.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map {
            $0.element.panel
        }
    }

    private mutating func panel(_ block: Block, _ decisions: [String]) -> App.Panel {
        if let explains = block.first("explains"), !explains.text.isEmpty, !decisions.contains(explains.text) {
            report(
                "there is no decision \(explains.text)", at: explains.textPlace, near: explains.text,
                among: decisions)
        }
        return App.Panel(
            title: block.directive.text, explains: block.first("explains")?.text,
            columns: columns(of: block), limit: number("limit", of: block) ?? 20,
            select: block.directive.select, place: block.directive.place)
    }

    mutating func timeline(_ block: Block) -> App.Timeline {
        App.Timeline(source: block.directive.head.name, select: block.directive.select)
    }

    mutating func stat(_ block: Block) -> App.Stat {
        App.Stat(name: block.name, summary: String(block.directive.head.rest), select: block.directive.select)
    }

    mutating func quota(_ block: Block) -> App.Quota {
        let history = block.first("history").map { App.Quota.History(summary: $0.text, select: $0.select) }
        if let directive = block.first("history"), block.first("per") != nil {
            report("a @quota with @per can't have a @history", at: directive)
        }
        return App.Quota(
            name: block.directive.head.name, per: block.first("per").map { column(of: $0) },
            tier: block.first("tier").map { column(of: $0) }, select: block.directive.select, history: history)
    }
}
