import PQ
import Support
import Testing

/// `usher.user_columns` finds the columns of a table that contain keys of users.
@Suite struct UserColumnsTests {
    private static let tables = [
        "create table users (region text, id integer, kind text, invited_by integer, unique (region, id)) partition by list (region)",
        "create table users_eu partition of users for values in ('eu')",
        "alter table users_eu add primary key (id)", "alter table users_eu add unique (id, kind)",
        "create table heirs (id integer primary key) inherits (people)",
        "create table profiles (user_id integer primary key references users_eu)",
        "create table settings (profile integer primary key references profiles)",
        "create table posts (id integer primary key, author integer references settings, editor integer references users_eu)",
        "create table gifts (id integer primary key, heir integer references heirs)",
        "create table members (id integer, kind text, foreign key (id, kind) references users_eu (id, kind))",
        "create table badges (id integer primary key, owner integer unique references users_eu)",
        "create table awards (id integer primary key, badge_owner integer references badges (owner))",
        "create table plans (id integer primary key)",
        "create table likes (post integer references posts)",
    ]
    /// The table of users, another table, and its columns with keys of users.
    static let found: [(root: String, table: String, columns: String)] = [
        ("users_eu", "users_eu", "{id} is user"), ("users", "users_eu", "{id} is user"),
        ("users", "users", "{id} is user"),
        ("users_eu", "users", "{}"), ("users_eu", "profiles", "{user_id} is user"),
        ("users", "profiles", "{user_id} is user"), ("users", "settings", "{profile} is user"),
        ("users_eu", "posts", "{author,editor}"), ("users", "posts", "{author,editor}"), ("users", "members", "{id}"),
        ("users", "awards", "{badge_owner}"), ("users", "plans", "{}"), ("users", "likes", "{}"),
        ("people", "heirs", "{id} is user"),
        ("people", "gifts", "{heir}"),
        ("nowhere", "profiles", "{}"), ("people", "profiles", "{}"),
    ]

    @Test func foreignKeysPartitionsAndInheritanceLeadToTheUsers() throws {
        let database = try Lab.withLedger().database
        for statement in Self.tables { try database.run(statement) }
        func columns(_ table: String, _ root: String) throws -> String? {
            try database.rows(
                """
                select u.mentions::text || case when u.is_user then ' is user' else '' end
                  from usher.user_columns(\(root), '\(table)'::regclass) u
                """)[0][0]
        }
        for (root, table, found) in Self.found {
            let root = "jsonb_build_object('schema', 'public', 'table', '\(root)', 'key', 'id')"
            #expect(try columns(table, root) == found, "\(table) \(root)")
        }
        // An app whose users come from a view has no table of users.
        for root in ["null", "'null'", "'{}'"] { #expect(try columns("profiles", root) == "{}", "\(root)") }
    }
}
