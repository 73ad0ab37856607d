extension App {
    /// The directives of the `@account` blocks, for references and rules that foreign keys don't describe.
    package struct Account: Sendable {
        /// The column that contains the keys of the users, as `schema.table.column`.
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
        /// The columns that usher never shows or records.
        package internal(set) var secrets: [Secret]
        /// The conditions under which usher refuses a deletion, or warns before the deletion.
        package internal(set) var refusals: [Remark]
        package internal(set) var warnings: [Remark]
        /// The statements that insert into the app's own queue before usher deletes rows.
        package internal(set) var statements: [Statement]

        /// `@refers`: the row that a column or an expression refers to, and what happens when that row is deleted.
        package struct Refers: Sendable {
            package enum Answer: String, Sendable, CaseIterable { case delete, detach, keep }

            /// The referring side: `schema.table.column` or `schema.table (expression)`.
            package let from: String
            /// The referenced side, in the same form; nil if a foreign key or another `@refers` declares it.
            package let to: String?
            /// The condition for rows that have the reference; nil if all rows have it.
            package let condition: String?
            /// The treatment of the referring row; nil if usher deletes it together with the referenced row.
            package let answer: Answer?
            package let why: String
            package let place: Place

            /// The names in a side, without its expression: schema and table, or schema, table and column.
            static func names(in side: String) -> [String]? {
                SQLName.parts(ofPath: trim(side.prefix { $0 != "(" }))
            }

            /// The schema, table and column of a side that is a plain column or `lower(column)`; nil for other
            /// expressions.
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

            /// The column that a deletion clears or keeps, as `schema.table.column`; nil for an expression without a
            /// single column.
            package var column: String? {
                Self.parts(of: from).flatMap { $0.count == 3 ? SQLName.path(of: $0) : nil }
            }
        }

        /// `@ignore`: columns that are neither a reference nor a secret, with the reason.
        package struct Ignored: Sendable {
            /// The path of a column; `*` stands for any characters of a name.
            package let pattern: String
            package let why: String
            package let place: Place
            /// The schema, table and column of the pattern, without quotes.
            fileprivate let parts: [String]

            init(pattern: String, why: String, place: Place) {
                (self.pattern, self.why, self.place) = (pattern, why, place)
                parts = pattern.split(separator: ".", omittingEmptySubsequences: false).map { part in
                    part.contains("*") ? String(part) : SQLName.parts(ofPath: String(part))?.first ?? String(part)
                }
            }
        }

        /// `@keep`: rows of a table that a deletion keeps, with the reason.
        package struct Kept: Sendable {
            package let table: String
            package let way: Way
            package let why: String
            package let place: Place
        }

        /// The rows that a directive applies to: rows whose column refers to the account, rows that meet a condition,
        /// or all rows.
        package struct Way: Sendable, Hashable {
            package let via: String?
            package let condition: String?

            package var isAll: Bool { via == nil && condition == nil }

            package init(via: String?, where condition: String? = nil) {
                (self.via, self.condition) = (via, condition)
            }
        }

        /// `@set`: a column that gets another value in rows that a deletion keeps, with the reason.
        package struct Assignment: Sendable {
            package let column: String
            package let expression: String
            package let way: Way
            package let why: String
            package let place: Place
        }

        /// `@shared`: what happens to rows that also belong to a user who isn't deleted.
        package struct Shared: Sendable {
            package enum Answer: Sendable, Hashable { case delete, detach, give(String) }

            package let table: String
            /// The condition for shared rows; a row that refers to another user is always shared.
            ///
            /// Nil if only references to other users make a row shared.
            package let condition: String?
            package let answer: Answer
            package let why: String
            package let place: Place
        }

        /// `@owns`: usher deletes a row after it has deleted all rows that refer to the row.
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

        /// `@files`: files in a bucket whose paths begin with a prefix; only a storage API can delete them.
        package struct Files: Sendable {
            package let bucket: String
            package let prefix: String
            package let place: Place
        }

        /// `@secret`: a column that usher never shows or records.
        package struct Secret: Sendable {
            package let column: String
            package let place: Place

            /// The schema, the table and the column as in the catalog; empty if the directive contains no valid path.
            package var names: [String] { SQLName.parts(ofPath: column) ?? [] }
        }
    }
}

extension App.Account {
    /// The conditions of the refusals and warnings.
    var fragments: [Fragment] { (refusals + warnings).map(\.condition) }

    /// The tables into which a deletion inserts rows, each with its statement.
    package var additions: [(target: StatementTarget, statement: App.Statement)] {
        statements.compactMap { statement in statement.sql.target.map { ($0, statement) } }
    }

    /// The `@written` directives, and one more for each INSERT of a deletion, which keeps the inserted rows.
    package var fates: [Written] {
        written
            + additions.map { target, statement in
                Written(
                    table: SQLName.path(of: [target.table.schema, target.table.name]), answer: .keep,
                    why: statement.summary, place: statement.sql.place)
            }
    }
}

extension App.Account.Ignored {
    /// True if the pattern matches a column, given as its schema, table and name.
    package func covers(_ column: [String]) -> Bool {
        parts.count == column.count && zip(parts, column).allSatisfy { $0 == $1 || matches($1[...], $0[...]) }
    }
}
