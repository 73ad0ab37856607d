/// The statements that ask about an account before it goes.
extension App {
    /// One row a user of some keys: the numbers of the remarks that hold, and the facts.
    package func held(_ remarks: [Remark], keys: Binding, now: Binding) -> ComposedQuery {
        var pieces: [Composer.Piece] = [
            .text("select told.\"usher held\" as held, told.* from (select pg_catalog.array_remove(array[")
        ]
        for (index, remark) in remarks.enumerated() {
            pieces += [.text(index == 0 ? "" : ", "), .text("case when (\n"), .fragment(remark.condition)]
            pieces.append(.text(") then \(index) end"))
        }
        pieces += [.text("]::pg_catalog.int4[], null) as \"usher held\", facts.* from "), .definition("users")]
        pieces += [.text(" facts where facts.\(Composer.quoted(users.key)) = any("), .bound(keys), .text(")")]
        // Of most users there is nothing to say, and what there is is found out once.
        pieces.append(.text(" offset 0) told where told.\"usher held\" <> '{}'"))
        return Composer.compose(pieces, for: self, bindings: ["now": now])
    }

    /// A statement that adds to the app's own queue.
    package func addition(_ statement: Statement, keys: Binding, now: Binding) -> ComposedQuery {
        Composer.compose([.fragment(statement.sql)], for: self, bindings: ["users": keys, "now": now])
    }
}
