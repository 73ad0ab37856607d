/// The filters and comparisons of queries for objects.
extension App {
    /// The filter, the order and the limit of a list.
    package struct ListFilter: Sendable {
        /// The selections of the objects.
        package var selections: [Selection] = []
        /// The user that the objects belong to; nil for the objects of all users.
        package var user: UserKey?
        /// The column of a list command that must have a certain text, in any letter case.
        package var whose: (column: String, text: String)?
        /// The time column that must be in a span, with the span's start and end.
        package var span: (column: String, since: String?, until: String?)?
        /// The column that sorts the list; nil for the order of the app file.
        package var order: SortColumn?
        package var limit: Int?
        /// True if the list also contains an email of each object's user.
        package var namesOwner = true

        /// Creates a filter that matches all rows, in the order of the app file.
        package init() {}
    }

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
        /// The identifier equals the text in the same letter case, so that Postgres can use an index of the column.
        case letters
        /// The identifier begins with the text in the same letter case, so that Postgres can use an index of the
        /// column.
        case beginning
        /// The identifier equals the text in any letter case.
        case same
        /// The identifier contains the text in any letter case.
        case inside
    }

    /// The identifiers of all kinds of objects; the result contains no columns of users.
    package var identifiers: [Identifier] {
        objects.flatMap { object in
            ([object.key] + object.search.filter { $0 != object.key }).map { Identifier(object: object, column: $0) }
        }
    }

    /// The name of the column that contains an email of the row's user.
    package static let ownerColumn = "user_address"

    /// True if a list of these objects contains an email of each object's user.
    package func namesOwners(of object: ObjectKind) -> Bool { object.userColumn != nil && !users.emails.isEmpty }

    /// The table column that contains an object's key, perhaps through definitions; nil if usher can't tell.
    package func keyColumn(of object: ObjectKind) -> RelationPath? {
        var (select, column) = (object.select, object.key)
        // The limit ends the loop if definitions form a cycle.
        for _ in 0...(1 + objects.count + definitions.count) {
            guard let source = DirectorySource(select, key: column), source.isPlain(column) else { return nil }
            if let base = source.key.base { return base.isColumn ? base.path : nil }
            guard let inner = source.key.inner, let next = named.first(where: { $0.name == inner.definition }),
                next.columns.isEmpty
            else {
                return nil
            }
            (select, column) = (next.select, inner.column)
        }
        return nil
    }

    /// The selections of objects that may need a repair, each with the action that repairs the objects.
    ///
    /// An invariant reports these objects only after some time, but the screen for a user shows them immediately.
    package var awaited: [(object: ObjectKind, selection: Selection, fix: Action)] {
        var seen: Set<String> = []
        return checks.flatMap { check -> [(object: ObjectKind, selection: Selection, fix: Action)] in
            guard case .object(let noun) = check.subject, let fix = check.fix,
                let object = objects.first(where: { $0.noun == noun && $0.hasOwner }),
                let action = action(fix.noun, fix.verb), action.subject == check.subject
            else { return [] }
            return object.selections.filter {
                action.selections.contains($0.name) && seen.insert("\(noun) \($0.name)").inserted
            }.map { (object, $0, action) }
        }
    }

    /// The action with a noun and a verb; nil if there is none.
    package func action(_ noun: String, _ verb: String) -> Action? {
        actions.first { $0.noun == noun && $0.verb == verb }
    }
}

extension App.ObjectKind {
    /// True if the app file shows which users the objects belong to.
    package var hasOwner: Bool { userColumn != nil || members != nil }
}
