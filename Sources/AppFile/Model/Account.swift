extension App {
    /// The lines of `@account` blocks, for references and rules that foreign keys don't describe.
    package struct Account: Sendable {
        /// The column that contains the ids of users, as `schema.table.column`.
        package let root: String
        package let place: Place
        package internal(set) var refers: [Refers]
        package internal(set) var ignored: [Ignored]
        package internal(set) var kept: [Kept]
        package internal(set) var assignments: [Assignment]
        package internal(set) var shared: [Shared]
        package internal(set) var owned: [Owned]
        package internal(set) var written: [Written]
        package let files: [Files]
        /// Columns that usher never shows or records.
        package internal(set) var secrets: [Secret]
        /// The conditions that refuse a deletion, and the warnings before one.
        package internal(set) var refusals: [Remark]
        package internal(set) var warnings: [Remark]
        /// Statements that insert into the app's own queue before rows are deleted.
        package internal(set) var statements: [Statement]

        /// `@refers`: the target of a column or an expression, and the effect on the row when the target is deleted.
        package struct Refers: Sendable {
            package enum Answer: String, Sendable, CaseIterable { case delete, detach, keep }

            /// `schema.table.column`, or `schema.table (expression)`.
            package let from: String
            /// The target, in the same form; nil if a foreign key or another line declares it.
            package let to: String?
            /// The condition for rows that have the reference; nil if all have it.
            package let condition: String?
            /// The effect; nil deletes the row with its target.
            package let answer: Answer?
            package let why: String
            package let place: Place

            /// The table of a side, with the column of a plain `t.c` or `t (lower(c))`.
            package static func parts(of side: String) -> [String]? {
                guard let open = side.firstIndex(of: "(") else { return SQLName.parts(ofPath: side) }
                let (begin, end) = ("(lower(", "))")
                let expression = side[open...].filter { $0 != " " }
                guard expression.hasPrefix(begin), expression.hasSuffix(end),
                    let table = SQLName.parts(ofPath: String(trim(side[..<open]))),
                    let column = SQLName.parts(ofPath: String(expression.dropFirst(begin.count).dropLast(end.count))),
                    column.count == 1
                else { return nil }
                return table + column
            }

            /// The column that a deletion writes or keeps, as `schema.table.column`; nil for other expressions.
            package var column: String? {
                Self.parts(of: from).flatMap { $0.count == 3 ? SQLName.path(of: $0) : nil }
            }
        }

        /// `@ignore`: columns that aren't a reference or a secret, with a reason.
        package struct Ignored: Sendable {
            /// A column; `*` matches any characters of a name.
            package let pattern: String
            package let why: String
            package let place: Place
        }

        /// `@keep`: kept rows of a table, with a reason.
        package struct Kept: Sendable {
            package let table: String
            package let way: Way
            package let why: String
            package let place: Place
        }

        /// The rows that a line selects: by a column that refers to the account, or by a condition.
        package struct Way: Sendable, Hashable {
            package let via: String?
            package let condition: String?

            package var isAll: Bool { via == nil && condition == nil }

            package init(via: String?, where condition: String? = nil) {
                (self.via, self.condition) = (via, condition)
            }
        }

        /// `@set`: kept rows that get another value in a column, with a reason.
        package struct Assignment: Sendable {
            package let column: String
            package let expression: String
            package let way: Way
            package let why: String
            package let place: Place
        }

        /// `@shared`: what happens to rows of a table that also belong to remaining users.
        package struct Shared: Sendable {
            package enum Answer: Sendable, Hashable { case delete, detach, give(String) }

            package let table: String
            /// The condition for rows of other users, in addition to rows that refer to them; nil if only references
            /// count.
            package let condition: String?
            package let answer: Answer
            package let why: String
            package let place: Place
        }

        /// `@owns`: usher deletes a row when all rows that refer to it are deleted.
        package struct Owned: Sendable {
            package let from: String
            package let to: String
            package let place: Place
        }

        /// `@written`: what happens to rows that triggers write during a deletion.
        package struct Written: Sendable {
            package enum Answer: String, Sendable, CaseIterable { case keep, remove }

            package let table: String
            package let answer: Answer
            package let why: String
            package let place: Place
        }

        /// Files of a bucket below a prefix, which only a storage API can remove.
        package struct Files: Sendable {
            package let bucket: String
            package let prefix: String
            package let place: Place
        }

        /// A column that usher never shows or records.
        package struct Secret: Sendable {
            package let column: String
            package let place: Place

            /// Schema, table and column as in the catalog; empty if the line names no column.
            package var names: [String] { SQLName.parts(ofPath: column) ?? [] }
        }
    }
}

extension App.Account {
    /// The conditions of refusals and warnings.
    var fragments: [Fragment] { (refusals + warnings).map(\.condition) }

    /// The tables that get new rows, each with its statement.
    package var additions: [(target: StatementTarget, statement: App.Statement)] {
        statements.compactMap { statement in statement.sql.target.map { ($0, statement) } }
    }
}

extension App.Account {
    /// Adds the lines of another account block.
    package func adding(_ other: App.Account) -> App.Account {
        var account = self
        account.refers += other.refers
        account.ignored += other.ignored
        account.kept += other.kept
        account.shared += other.shared
        account.owned += other.owned
        account.written += other.written
        return account
    }

    /// The `@written` lines, and a line that keeps the rows of each INSERT that a deletion runs.
    package var fates: [Written] {
        written
            + additions.map { target, statement in
                Written(
                    table: SQLName.path(of: [target.table.schema, target.table.name]), answer: .keep,
                    why: statement.summary, place: statement.sql.place)
            }
    }
}

extension App.Account.Way {
    /// The text of `via` and `where`.
    package var text: String {
        [via.map { "via \($0)" }, condition.map { "where \($0)" }].compactMap(\.self).joined(separator: " ")
    }
}

extension App.Account.Ignored {
    /// True if the pattern matches a column with this schema, table and name.
    package func covers(_ column: [String]) -> Bool {
        let parts = pattern.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.contains("*") ? String(part) : SQLName.parts(ofPath: String(part))?.first ?? String(part)
        }
        return parts.count == column.count && zip(parts, column).allSatisfy { Self.matches($0[...], $1[...]) }
    }

    private static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == "*" {
            return text.indices.contains { matches(rest, text[$0...]) } || matches(rest, text[text.endIndex...])
        }
        return text.first == first && matches(rest, text.dropFirst())
    }
}
