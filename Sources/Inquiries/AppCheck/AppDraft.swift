internal import AppFile
package import Asking
package import Catalog
package import PQ

/// A first app file for a database nobody has described yet, made from its catalog.
///
/// It is a draft for a person to go on from: the users, a panel for each table that refers to them, and what looks like a
/// reference although no foreign key says so.
package struct AppDraft {
    private let schema: Schema
    private let root: Schema.Table
    private let key: Schema.TableColumn
    /// The table that describes the root's users one to one, such as profiles beside auth.users.
    private let profile: Schema.Table?

    /// The draft for a database, or why none can be made.
    package static func text(
        named name: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> String {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        do {
            let answers = try transaction.read(Schema.queries, isLast: true)
            let schema = try Schema(columns: try answers[0].get(), foreignKeys: try answers[1].get())
            guard let draft = AppDraft(schema) else {
                throw Failure(
                    .notFound, "no table looks like one of users",
                    hint:
                        "looked for a table with a primary key of one column that is named like users, holds addresses, or is referred to"
                )
            }
            return draft.text(named: name)
        } catch let failure as Failure {
            throw failure
        } catch let error as PQError {
            throw Failure(error)
        } catch let error as ServerError {
            throw Failure(error)
        } catch {
            throw Failure(.failed, "unexpected catalog: \(error)")
        }
    }

    private init?(_ schema: Schema) {
        // A name with a line end would end the comment that a directive is.
        let schema = schema.withoutUnspeakableNames
        self.schema = schema
        guard let best = Self.candidates(in: schema).first?.table, let key = best.key.first else { return nil }
        root = best
        self.key = key
        profile = schema.references.lazy.filter { reference in
            reference.referenced == best.qualifiedName && reference.columns.count == 1
                && schema.table(reference.table)?.key.map(\.name) == reference.columns
        }.compactMap { schema.table($0.table) }.filter { $0.schema != "auth" }.max {
            $0.columns.count < $1.columns.count
        }
    }

    /// The tables that look like a directory of users, the likeliest first.
    package static func candidates(in schema: Schema) -> [(table: Schema.Table, points: Int)] {
        schema.tables.filter { $0.key.count == 1 }.map { ($0, likeness($0, in: schema)) }.filter { $0.1 > 0 }
            .sorted { ($1.1, $0.0.qualifiedName) < ($0.1, $1.0.qualifiedName) }
    }

    /// As many points as a name alone gives.
    package static let telling = 20

    /// How much a table looks like the directory of users: its name, an address, and how many tables refer to it.
    private static func likeness(_ table: Schema.Table, in schema: Schema) -> Int {
        let referring = schema.references.filter { $0.referenced == table.qualifiedName }.count
        var points = min(referring, 10)
        if ["users", "user", "accounts", "members", "customers", "profiles", "people"].contains(table.name) {
            points += telling
        }
        if table.qualifiedName == "auth.users" { points += telling }
        if table.columns.contains(where: { isAddress($0) }) { points += 10 }
        return points < 10 ? 0 : points
    }

    // MARK: Text

    private func text(named name: String) -> String {
        var blocks = [head(name), users, checkOnNothing]
        blocks += panels
        blocks.append(account)
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private func head(_ name: String) -> String {
        var required = [root.sql + "." + key.sql]
        required += [profile?.sql].compactMap { $0 }
        required += referring.map(\.table.sql).filter { !required.contains($0) }.prefix(2)
        return
            ([
                "-- A draft made from the catalog. Read it as a stranger would, and say what the tables do not: the decisions.",
                "",
            ]
            + ["-- @app \(name)  \(name)"] + required.map { "-- @requires \($0)" }).joined(separator: "\n")
    }

    private var users: String {
        let own = root.columns.filter { $0.isInKey || Self.isShown($0) }
        let described = (profile?.columns ?? []).filter { column in
            Self.isShown(column) && !column.isInKey && !own.contains { $0.name == column.name }
        }
        let columns = own.map { "u.\($0.sql)" } + described.map { "p.\($0.sql)" }
        let addresses = (own + described).filter(Self.isAddress).map(\.sql)
        var lines = ["-- @users", "-- @key \(key.sql)"]
        if !addresses.isEmpty { lines.append("-- @email \(addresses.joined(separator: ", "))") }
        lines += ["select " + columns.joined(separator: ", "), "  from \(root.sql) u"]
        if let profile, let joined = profile.key.first {
            lines.append(
                "  left join \(profile.sql) p on p.\(joined.sql) = u.\(key.sql)")
        }
        return lines.joined(separator: "\n") + ";"
    }

    /// What only a person can say.
    private var checkOnNothing: String {
        """
        -- A decision is a question with ordered rules; the first that holds decides, and the last must be true:
        --
        --   @decision access  Does the app let this user in?
        --   @rule active  Pays until {paid_until}.
        --   paid_until > :now;
        --   @rule paywall  Nothing is paid.
        --   true;
        """
    }

    private var panels: [String] {
        referring.map { table, column in
            let shown = table.columns.filter(Self.isShown).map { "t.\($0.sql)" }
            let latest = table.columns.first { ["created_at", "inserted_at", "at", "updated_at"].contains($0.name) }
            let order = latest.map { "\n order by t.\($0.sql) desc" } ?? ""
            return """
                -- @panel \(title(of: table))
                select \(shown.joined(separator: ", "))
                  from \(table.sql) t
                 where t.\(column) = :user\(order);
                """
        }
    }

    private var account: String {
        var lines = ["-- @account", "-- @root \(root.sql).\(key.sql)"]
        for table in [root] + [profile].compactMap({ $0 }) + referring.map(\.table) {
            lines += table.columns.filter { Self.isSecret($0.name) }.map { "-- @secret \(table.sql).\($0.sql)" }
        }
        let suspects = suspected
        if !suspects.isEmpty {
            lines.append("--")
            lines.append(
                "-- These look like references to a user, but no foreign key says so. What is one becomes a directive:")
            lines += suspects.map { "--   @reference \($0) -> \(root.sql).\(key.sql)" }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: What refers to a user

    /// The tables that refer to the root or its profile by one column, each once.
    private var referring: [(table: Schema.Table, column: String)] {
        let targets = [root.qualifiedName, profile?.qualifiedName].compactMap { $0 }
        var found: [(table: Schema.Table, column: String)] = []
        for reference in schema.references where targets.contains(reference.referenced) && reference.columns.count == 1
        {
            guard let table = schema.table(reference.table), !targets.contains(table.qualifiedName),
                !found.contains(where: { $0.table == table })
            else { continue }
            found.append((table, table.column(reference.columns[0])?.sql ?? reference.columns[0]))
        }
        return found
    }

    /// Columns of the key's type, or texts, with a telling name and no foreign key.
    private var suspected: [String] {
        schema.tables.flatMap { table in
            table.columns.filter { column in
                let isKnown = schema.references.contains {
                    $0.table == table.qualifiedName && $0.columns.contains(column.name)
                }
                let mayHold = column.type == key.type || ["text", "character varying"].contains(column.type)
                return !isKnown && mayHold && Self.tellingNames.contains(column.name)
            }.map { "\(table.sql).\($0.sql)" }
        }
    }

    private static let tellingNames: Set<String> = [
        "user_id", "userid", "owner", "owner_id", "author_id", "account_id", "member_id", "customer_id", "profile_id",
        "created_by", "updated_by", "sender_id", "recipient_id", "actor_id", "invited_by",
    ]

    // MARK: Columns

    private static func isAddress(_ column: Schema.TableColumn) -> Bool {
        let name = column.name.lowercased()
        let isText = ["text", "character varying", "citext", "public.citext"].contains(column.type)
        return isText && (name.hasSuffix("email") || name.hasSuffix("mail") || name.hasSuffix("e-mail"))
    }

    /// Whether a column is called as if nobody were to see what it holds.
    package static func isSecret(_ column: String) -> Bool {
        [
            "password", "passwd", "passphrase", "token", "secret", "hash", "hmac", "code_challenge", "private",
            "api_key",
            "apikey", "otp_code", "backup_code", "backupcode", "recovery_code", "recoverycode",
        ].contains(where: column.lowercased().contains)
    }

    /// Whether a column may be shown: nothing that smells of a secret, and nothing of unreadable length.
    private static func isShown(_ column: Schema.TableColumn) -> Bool {
        !isSecret(column.name) && column.type != "bytea"
    }

    /// The name in words; with its schema where another panel has the same words.
    private func title(of table: Schema.Table) -> String {
        let words = table.name.split(separator: "_").joined(separator: " ")
        let title = words.prefix(1).uppercased() + words.dropFirst()
        let isShared = referring.contains { other, _ in
            other != table && other.name.split(separator: "_").joined(separator: " ") == words
        }
        return isShared ? "\(title) of \(table.sql)" : title
    }
}
