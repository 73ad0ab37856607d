internal import AppFile
internal import Catalog

/// Finds tables whose rows belong to a user only through another table.
extension AppDraft {
    /// A table whose column refers to a row of the user, or to the same row as a row of the user.
    struct Step {
        let table: Schema.Table
        let column: Schema.TableColumn
        /// The table between the user and this table, its column that matches, and its column that refers to the user.
        let between: Schema.Table
        let key: Schema.TableColumn
        let user: Schema.TableColumn
    }

    /// The largest number of steps in one draft.
    private static let mostSteps = 4

    /// The tables that belong to users through another table: first those with a state, then the most important ones.
    ///
    /// So the payments of a user's team come before the items of an order.
    func steps(beyond known: [(table: Schema.Table, column: Schema.TableColumn)]) -> [Step] {
        let weights = weights
        let near = Set(referring.map(\.table.qualifiedName) + [root.qualifiedName, profile?.qualifiedName ?? ""])
        var found: [Step] = []
        let users = [root, profile].compactMap { $0 }.compactMap { table in userKey(of: table).map { (table, $0) } }
        // A required column identifies the user better than an optional column.
        for (between, user) in users + known.filter(\.column.isRequired) + known.filter({ !$0.column.isRequired }) {
            // A row between is found by its own key or by a reference that it shares with the other table. A user's row
            // is found by its unique columns apart from the key.
            let isUser = users.contains { $0.0 == between }
            let own = (isUser ? between.columns.filter { $0 != user } : between.key).map {
                Reach(table: between.qualifiedName, columns: [$0.name], by: $0)
            }
            for reach in isUser ? own : (own.count == 1 ? own : []) + reached(from: between, beyond: near) {
                for reference in schema.references where reach.isMeant(by: reference) {
                    guard !near.contains(reference.table), let table = schema.table(reference.table),
                        let column = table.column(reference.columns[0]),
                        reach.table == between.qualifiedName || standing(table) != nil,
                        !found.contains(where: { $0.table == table })
                    else { continue }
                    found.append(Step(table: table, column: column, between: between, key: reach.by, user: user))
                }
            }
        }
        func rank(_ step: Step) -> (Int, Double, String) {
            (standing(step.table) == nil ? 1 : 0, -(weights[step.table.qualifiedName] ?? 0), step.table.qualifiedName)
        }
        return Array(found.sorted { rank($0) < rank($1) }.prefix(Self.mostSteps))
    }

    /// The SQL of `@members` for objects without a user column; nil if there is none.
    ///
    /// The users are found through a join table, a reference from the users, or a table between.
    func members(of table: Schema.Table, _ steps: [Step]) -> String? {
        for (joint, user) in referring where joint.key.count == 2 && joint.key.contains(user) {
            guard let other = joint.key.first(where: { $0 != user }) else { continue }
            let leads = schema.references.contains {
                $0.table == joint.qualifiedName && $0.columns == [other.name] && $0.referenced == table.qualifiedName
                    && $0.referencedColumns == table.key.map(\.name)
            }
            if leads { return "select p.\(other.sql), p.\(user.sql) from \(joint.sql) p;" }
        }
        for person in [root, profile].compactMap({ $0 }) {
            let leading = schema.references.filter {
                $0.table == person.qualifiedName && $0.columns.count == 1 && $0.referenced == table.qualifiedName
                    && $0.referencedColumns == table.key.map(\.name)
            }.compactMap { person.column($0.columns[0]) }
            // If several columns match, the column with the shortest name is used.
            guard let column = leading.min(by: { $0.name.count < $1.name.count }), let user = userKey(of: person) else {
                continue
            }
            return "select p.\(column.sql), p.\(user.sql) from \(person.sql) p"
                + (column.isRequired ? ";" : " where p.\(column.sql) is not null;")
        }
        guard let step = steps.first(where: { $0.table == table }), let key = table.key.first else { return nil }
        return """
            select t.\(key.sql), p.\(step.user.sql)
              from \(table.sql) t
              join \(step.between.sql) p on p.\(step.key.sql) = t.\(step.column.sql)\(
                step.user.isRequired || step.user.isInKey ? "" : "\n where p.\(step.user.sql) is not null");
            """
    }

    /// A column, and the referenced table and columns that it leads to.
    private struct Reach {
        let table: String
        let columns: [String]
        let by: Schema.TableColumn

        func isMeant(by reference: Schema.Reference) -> Bool {
            reference.referenced == table && reference.referencedColumns == columns && reference.columns.count == 1
        }
    }

    private func reached(from table: Schema.Table, beyond near: Set<String>) -> [Reach] {
        schema.references.compactMap { reference in
            guard reference.table == table.qualifiedName, reference.columns.count == 1,
                !near.contains(reference.referenced), let column = table.column(reference.columns[0])
            else { return nil }
            return Reach(table: reference.referenced, columns: reference.referencedColumns, by: column)
        }
    }
}
