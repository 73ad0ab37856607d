/// Finds objects, and so their users, by identifiers that people know: order numbers, names, ids of other systems.
extension App {
    /// A column by which people identify the objects of a kind.
    package struct Identifier: Sendable {
        package let object: ObjectKind
        package let column: String

        /// True if the column is the key of the object, which is compared in its own type.
        package var isKey: Bool { column == object.key }
    }

    /// The ways in which a query compares a text with an identifier.
    package enum Likeness: Sendable {
        /// The key equals the text, in the type of the key.
        case key
        /// The key is in a range.
        case keys(ClosedRange<String>)
        /// The identifier equals the text in exactly its letters, so that Postgres can use an index of the column.
        case letters
        /// The identifier begins with exactly the letters of the text, so that Postgres can use an index of the column.
        case beginning
        /// The identifier equals the text in any letter case.
        case same
        /// The identifier contains the text in any letter case.
        case inside
    }

    /// All identifiers of an app, without those of users.
    package var identifiers: [Identifier] {
        objects.flatMap { object in
            ([object.key] + object.search.filter { $0 != object.key }).map { Identifier(object: object, column: $0) }
        }
    }

    /// Finds the users of objects with an identifier.
    ///
    /// The columns are the key of the user, the key of the object, and the value of the identifier.
    package func owners(
        of text: String, by identifier: Identifier, _ likeness: Likeness, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        let object = identifier.object
        let key = "named.\(Composer.quoted(object.key))"
        let owner = object.userColumn.map { "named.\(Composer.quoted($0))" }
        var person = owner ?? "member.person"
        var join: [Composer.Piece] = []
        if let members = object.members {
            // An object whose user column is empty belongs to its members.
            join = [
                .text(" left join lateral (select m.person from (\n"), .fragment(members),
                .text(
                    ") m (key, person) where m.key = \(key)\(owner.map { " and \($0) is null" } ?? "")) member on true"),
            ]
            if let owner { person = "coalesce(\(owner)::pg_catalog.text, member.person::pg_catalog.text)" }
        }
        let value = "named.\(Composer.quoted(identifier.column))"
        var pieces: [Composer.Piece] = [
            .text("select \(person)::pg_catalog.text, \(key)::pg_catalog.text, \(value)::pg_catalog.text from "),
            .definition(object.noun), .text(" named"),
        ]
        pieces += join + [.text(" where \(person) is not null and ")]
        pieces += test(value, text, likeness) + [.text(" limit \(limit)")]
        return compose(pieces, bindings)
    }

    /// Finds the objects with an identifier that belong to no user; the columns are NULL, the object's key, and the
    /// value.
    package func untied(
        of text: String, by identifier: Identifier, _ likeness: Likeness, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        let object = identifier.object
        let key = "named.\(Composer.quoted(object.key))"
        let value = "named.\(Composer.quoted(identifier.column))"
        var pieces: [Composer.Piece] = [
            .text("select null::pg_catalog.text, \(key)::pg_catalog.text, \(value)::pg_catalog.text from "),
            .definition(object.noun), .text(" named where "),
        ]
        if let column = object.userColumn { pieces.append(.text("named.\(Composer.quoted(column)) is null and ")) }
        if let members = object.members {
            pieces += [
                .text("not exists (select from (\n"), .fragment(members),
                .text(") member (key, person) where member.key = \(key)) and "),
            ]
        }
        return Composer.compose(
            pieces + test(value, text, likeness) + [.text(" limit \(limit)")], for: self, bindings: bindings)
    }

    /// Finds the objects of a kind that have a text in a search column; the columns are the object's key, and the
    /// column's value.
    package func objects(
        _ object: ObjectKind, called text: String, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery? {
        guard !object.search.isEmpty else { return nil }
        let key = "named.\(Composer.quoted(object.key))::pg_catalog.text"
        let branches = object.search.map { column -> [Composer.Piece] in
            let value = "named.\(Composer.quoted(column))"
            return [
                .text("(select \(key), \(value)::pg_catalog.text from "), .definition(object.noun),
                .text(" named where "),
            ] + test(value, text, .same) + [.text(" limit \(limit))")]
        }
        return Composer.compose(
            Array(branches.joined(separator: [.text(" union ")])), for: self, bindings: bindings)
    }

    /// Finds objects to offer as completions, with the identifier first and then the columns that distinguish the
    /// objects.
    ///
    /// A nil likeness matches every object. With `selections`, only objects in one of them are found.
    package func offers(
        of text: String, by identifier: Identifier, _ likeness: Likeness?, among selections: [Selection], limit: Int
    ) -> ComposedQuery {
        let object = identifier.object
        // usher offers emails only after the operator has typed their first letters.
        let told = object.columns.filter { $0 != object.key && $0 != object.userColumn && !users.emails.contains($0) }
        let shown = ([identifier.column] + told).map { "facts.\(Composer.quoted($0))::pg_catalog.text" }
        var selected: [Composer.Piece] = []
        for (index, selection) in selections.enumerated() {
            selected += [.text(index == 0 ? " and ((\n" : " or (\n"), .fragment(selection.condition), .text(")")]
        }
        if !selections.isEmpty { selected.append(.text(")")) }
        let pieces: [Composer.Piece] = [
            .text("select " + shown.joined(separator: ", ") + " from "), .definition(object.noun),
            .text(" facts where "),
        ]
        let matches = likeness.map { test("facts.\(Composer.quoted(identifier.column))", text, $0) } ?? [.text("true")]
        return Composer.compose(
            pieces + matches + selected + [.text(" limit \(limit)")], for: self, bindings: [:])
    }

    /// Finds the objects of a kind whose keys are in a range.
    package func objects(
        _ object: ObjectKind, from first: String, to last: String, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        let key = "named.\(Composer.quoted(object.key))"
        return Composer.compose(
            [
                .text("select \(key)::pg_catalog.text, \(key)::pg_catalog.text from "), .definition(object.noun),
                .text(" named where "),
            ] + test(key, "", .keys(first...last)) + [.text(" limit \(limit)")], for: self, bindings: bindings)
    }

    /// The condition that a column matches a text.
    private func test(_ column: String, _ text: String, _ likeness: Likeness) -> [Composer.Piece] {
        let needle: Composer.Piece = .value(text, type: "text")
        let value = "\(column)::pg_catalog.text"
        switch likeness {
        case .key: return [.text("\(column) = "), .value(text, type: nil)]
        case .keys(let range):
            return [
                .text("\(column) between "), .value(range.lowerBound, type: nil), .text(" and "),
                .value(range.upperBound, type: nil),
            ]
        case .letters: return [.text("\(value) = "), needle]
        case .same:
            return [.text("pg_catalog.lower(\(value)) = pg_catalog.lower("), needle, .text(")")]
        case .beginning:
            // An index in the order of a language works for the range, and an index in byte order works for the
            // pattern.
            return [
                .text("\(value) >= "), needle, .text(" and \(value) <= greatest("),
                .value(text + "zzzzzzzz", type: "text"), .text(", "), .value(text + "\u{FFFF}", type: "text"),
                .text(") and \(value) like "), .value(Directory.pattern(text) + "%", type: "text"),
            ]
        case .inside:
            // A trigram index works for patterns.
            return [
                .text("pg_catalog.lower(\(value)) like pg_catalog.lower("),
                .value("%" + Directory.pattern(text) + "%", type: "text"), .text(")"),
            ]
        }
    }
}
