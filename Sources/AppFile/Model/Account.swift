extension App {
    /// What an account is made of, besides what foreign keys say.
    package struct Account: Sendable {
        /// The column that an account is a value of, as `schema.table.column`.
        package let root: String
        package let place: Place
        package internal(set) var references: [Reference]
        package internal(set) var owned: [Owned]
        package internal(set) var kept: [Kept]
        package internal(set) var detached: [Detached]
        package internal(set) var anonymised: [Anonymised]
        package internal(set) var mentions: [Mention]
        package internal(set) var plain: [Plain]
        package internal(set) var collateral: [Collateral]
        package internal(set) var written: [Written]
        package internal(set) var writers: [Writer]
        package let files: [Files]
        /// Columns that are never shown and never recorded.
        package internal(set) var secrets: [Secret]
        /// When an account is not deleted, and what is said before it is.
        package internal(set) var refusals: [Remark]
        package internal(set) var warnings: [Remark]
        /// What is added to the app's own queue before anything goes.
        package internal(set) var statements: [Statement]

        /// A reference that no foreign key declares: columns or expressions on both sides.
        package struct Reference: Sendable {
            package let from: String
            package let to: String
            /// The rows of the first table that refer to the second one; all where it is nil.
            package let condition: String?
            package let place: Place

            /// The table of a side, and its column where it is one, perhaps in small letters: `t.c`, `t (lower(c))`.
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
        }

        /// A row that goes with the one that refers to it, when nobody else refers to it.
        package struct Owned: Sendable {
            package let from: String
            package let to: String
            package let place: Place
        }

        /// Rows of a table that stay, or what stands in a column of it, and why.
        package struct Kept: Sendable {
            package let name: String
            /// Those alone that stay; all of the table where neither is there.
            package let way: Way
            package let why: String
            package let place: Place
        }

        /// Which rows of a table are meant: those that a column leads to, those that meet a condition.
        package struct Way: Sendable, Hashable {
            package let via: String?
            package let condition: String?

            package var isAll: Bool { via == nil && condition == nil }

            package init(via: String?, where condition: String? = nil) {
                (self.via, self.condition) = (via, condition)
            }
        }

        /// A column that is emptied where what it refers to goes, and why.
        package struct Detached: Sendable {
            package let column: String
            package let why: String
            package let place: Place
        }

        /// A column that is overwritten, and why.
        package struct Anonymised: Sendable {
            package let column: String
            package let expression: String
            /// The column by which rows come that stay for it; those that come otherwise go as ever.
            package let via: String?
            /// The rows in which it is; all where it is nil.
            package let condition: String?
            package let why: String
            package let place: Place
        }

        /// A text or a document that may mention the person, and what becomes of it then.
        package struct Mention: Sendable {
            package enum Answer: String, Sendable, CaseIterable { case keep, detach, anonymise }

            package let column: String
            package let answer: Answer
            package let place: Place
        }

        /// Columns that refer to nothing, whatever they look like, and why that is known.
        package struct Plain: Sendable {
            /// A column, `*` for any letters of a name.
            package let pattern: String
            package let why: String
            package let place: Place
        }

        /// What becomes of rows of a table that others share.
        package struct Collateral: Sendable {
            package enum Answer: Sendable, Hashable { case delete, keep, detach, reassign(String) }

            package let table: String
            package let answer: Answer
            package let why: String
            package let place: Place
        }

        /// What becomes of rows that triggers write while an account goes.
        package struct Written: Sendable {
            package enum Answer: String, Sendable, CaseIterable { case keep, remove }

            package let table: String
            package let answer: Answer
            package let why: String
            package let place: Place
        }

        /// Where a function of triggers writes that puts its statements together, so that nobody can read it.
        package struct Writer: Sendable {
            package let function: String
            /// The table; nil where it writes nowhere else.
            package let table: String?
            package let place: Place
        }

        /// Files of a bucket below a prefix, which only a storage API can remove.
        package struct Files: Sendable {
            package let bucket: String
            package let prefix: String
            package let place: Place
        }

        /// A column that is never shown and never recorded.
        package struct Secret: Sendable {
            package let column: String
            package let place: Place

            /// Schema, table and column as the catalog has them; nothing where the line names no column.
            package var names: [String] { SQLName.parts(ofPath: column) ?? [] }
        }
    }
}

extension App.Account {
    /// The SQL of its own blocks.
    var fragments: [Fragment] { (refusals + warnings).map(\.condition) }

    /// The tables to which something is added, and why.
    package var additions: [(target: StatementTarget, statement: App.Statement)] {
        statements.compactMap { statement in statement.sql.target.map { ($0, statement) } }
    }
}

extension App.Account {
    /// The same with what the lines of another one settle.
    package func settling(_ other: App.Account) -> App.Account {
        var account = self
        account.references += other.references
        account.owned += other.owned
        account.kept += other.kept
        account.detached += other.detached
        account.mentions += other.mentions
        account.plain += other.plain
        account.written += other.written
        return account
    }

    /// What becomes of rows that are written while an account goes; what it adds itself is for whoever works on it.
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
    /// As a line says it.
    package var text: String {
        [via.map { "via \($0)" }, condition.map { "where \($0)" }].compactMap(\.self).joined(separator: " ")
    }
}

extension App.Account.Kept {
    /// The column, with its table, where the line speaks of one.
    package var column: String? { SQLName.parts(ofPath: name)?.count == 3 ? name : nil }
}

extension App.Account.Plain {
    /// Whether a column is meant, by its schema, table and name.
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
