/// Queries before an account is deleted.
extension App {
    /// One row per user: the numbers of the remarks that apply, and the facts.
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
        // For most users no remark applies, and the subquery evaluates each remark once.
        pieces.append(.text(" offset 0) told where told.\"usher held\" <> '{}'"))
        return Composer.compose(pieces, for: self, bindings: ["now": now])
    }

    /// A statement that inserts into the app's own queue.
    package func addition(_ statement: Statement, keys: Binding, now: Binding) -> ComposedQuery {
        Composer.compose([.fragment(statement.sql)], for: self, bindings: ["users": keys, "now": now])
    }
}
