import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// `app init` drafts an app file for a database that has none.
@Suite struct DraftTests {
    private func draft(
        _ database: TestDatabase, root: (table: String, key: String)? = nil
    ) throws -> (text: String, app: App, findings: [Diagnostic]) {
        let connection = try database.connect()
        let text = try AppDraft.text(
            named: "draft", root: root, taken: ["session", "--limit", "--user"], on: connection,
            options: InquiryOptions())
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("draft.sql", text).path)
        return (text, app, try AppCheck.findings(in: app, on: connection, options: InquiryOptions()))
    }

    /// Rails creates many tables, with lower-case names and times without a zone.
    @Test func appInitChoosesTheMostImportantTables() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            """
            create table users (id bigserial primary key, email varchar not null, encrypted_password varchar not null, name varchar,
                                status varchar not null check (status in ('active', 'closed')), reset_token varchar,
                                seats_used integer not null default 0, seats_limit integer not null default 5, preferences jsonb,
                                created_at timestamp not null, updated_at timestamp not null)
            """,
            """
            create table orders (id bigserial primary key, user_id bigint not null references users on delete cascade,
                                 state varchar not null check (state in ('pending', 'paid', 'limit', 'user')), note text, created_at timestamp not null)
            """,
            "create table audits (id bigserial primary key, user_id bigint, body text, created_at timestamp not null)",
            """
            do $$ begin for i in 1..220 loop
                execute format('create table things_%s (id bigserial primary key, user_id bigint references users, order_id bigint '
                               'references orders, status varchar check (status in (''open'', ''done'')), created_at timestamp not null)', i);
            end loop; end $$
            """,
            "insert into users select i, 'u' || i || '@example.com', 'x', 'U', 'active', null, 1, 5, '{}', now(), now() from generate_series(1, 50) i",
            "insert into orders select i, i % 50 + 1, 'paid', null, now() from generate_series(1, 400) i",
            "insert into audits select i, i % 50 + 1, 'x', now() from generate_series(1, 100) i", "analyze")
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 400)
        #expect(app.users.emails == ["email"])
        #expect(text.contains("u.created_at at time zone 'UTC' as created_at"))
        for hidden in ["u.encrypted_password", "u.reset_token", "u.preferences"] { #expect(!text.contains(hidden)) }
        #expect(app.account?.secrets.map(\.column).contains("public.users.encrypted_password") == true)
        #expect(app.decisions.map(\.name) == ["status", "orders"])
        #expect(app.panels.count <= 12 && app.panels.first?.title == "Orders")
        #expect(app.panels.allSatisfy { $0.limit == 10 && $0.select.text.contains("order by t.created_at desc") })
        let orders = try #require(app.objects.first { $0.noun == "orders" })
        #expect(orders.userColumn == "user_id")
        #expect(orders.selections.map(\.name) == ["paid", "pending"])
    }

    /// Tables as Rails creates them, without foreign keys: a draft finds the owner of a row by the column's name.
    private func rails() throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table accounts (id bigserial primary key, name varchar not null, support_email varchar)",
            """
            create table users (id bigserial primary key, unconfirmed_email varchar, email varchar not null, name varchar,
                                created_at timestamp not null)
            """,
            """
            create table account_users (id bigserial primary key, account_id bigint not null, user_id bigint not null,
                                        inviter_id bigint)
            """,
            """
            create table conversations (id bigserial primary key, account_id integer not null, user_id integer,
                                        status varchar not null check (status in ('open', 'resolved')), created_at timestamp not null)
            """,
            "create table messages (id bigserial primary key, conversation_id integer, account_id integer, content text)",
            "create table articles (id bigserial primary key, user_id bigint, title varchar)",
            "insert into users select i, null, 'u' || i || '@example.com', 'U', now() from generate_series(1, 50) i",
            "insert into accounts select i, 'A', 'help@example.com' from generate_series(1, 9) i",
            "insert into conversations select i, 1, i % 50 + 1, 'open', now() from generate_series(1, 300) i", "analyze"
        )
        return database
    }

    @Test func appInitFindsReferencesByColumnName() throws {
        let (text, app, findings) = try draft(try rails())
        #expect(findings.flatMap(\.report) == [])
        #expect(app.account?.root == "public.users.id", "\(text)")
        #expect(app.users.emails == ["email", "unconfirmed_email"])
        #expect(app.objects.map(\.noun) == ["conversations"] && app.objects.first?.userColumn == "user_id")
        #expect(Set(app.panels.map(\.title)).isSuperset(of: ["Conversations", "Account users", "Articles"]))
    }

    @Test func appInitUsesTheUserTableThatTheOperatorNames() throws {
        let database = try rails()
        let (_, accounts, findings) = try draft(database, root: ("public.accounts", "id"))
        #expect(findings.flatMap(\.report) == [])
        #expect(accounts.account?.root == "public.accounts.id")
        #expect(accounts.objects.first { $0.noun == "conversations" }?.userColumn == "account_id")
        try database.run(
            "create table codes (id serial primary key, member text not null unique, email text)",
            "create table visits (id serial primary key, member text references codes (member))")
        let (_, codes, found) = try draft(database, root: ("public.codes", "member"))
        #expect(found.flatMap(\.report) == [])
        #expect(codes.account?.root == "public.codes.member" && codes.users.key == "member")
        #expect(codes.panels.map(\.title) == ["Visits"])
        #expect(throws: Failure.self) { try draft(database, root: ("public.nothing", "id")) }
    }

    /// If a table has two references to users, the column that is named like a user refers to the owner.
    @Test func appInitChoosesTheOwnerByColumnName() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id serial primary key, email text not null unique)",
            """
            create table orders (id serial primary key, approved_by_id int not null references users,
                                 user_id int references users on delete cascade,
                                 status text check (status in ('open', 'paid')))
            """,
            """
            create table visits (id serial primary key, seen_by int references users, called_by int references users,
                                 at timestamptz)
            """)
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.objects.first { $0.noun == "orders" }?.userColumn == "user_id")
        // If no column is named like a user, the first reference in the table leads to the owner.
        #expect(text.contains("where t.seen_by = :user"), "\(text)")
    }

    /// A required reference names the owner of a row.
    @Test func appInitFindsTheOwnerOfARow() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id bigserial primary key, email text not null)",
            """
            create table tickets (id bigserial primary key, assignee_id bigint references users, requester_id bigint not null
                                  references users, status text not null check (status in ('open', 'done')))
            """)
        let (_, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.objects.first { $0.noun == "tickets" }?.userColumn == "requester_id")
    }

    /// The name of a table can mark its columns as secrets.
    @Test func appInitFindsSecretsByTableOrColumnName() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            """
            create table users (id bigserial primary key, email text not null, "SecurityStamp" text, pass_crypt text,
                                remember_digest text)
            """,
            "create table authtoken_token (key varchar(40) primary key, user_id bigint not null unique references users)",
            """
            create table "UserTokens" (id bigserial primary key, user_id bigint not null references users, name text,
                                       "Value" text)
            """,
            "create table settings (id bigserial primary key, user_id bigint references users, key text, value text)")
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(
            app.account?.secrets.map(\.column) == [
                #"public.users."SecurityStamp""#, "public.users.pass_crypt", "public.users.remember_digest",
                #"public."UserTokens"."Value""#, "public.authtoken_token.key",
            ], "\(text)")
        #expect(!text.contains("t.\"Value\"") && !text.contains("u.\"SecurityStamp\""))
    }

    /// Columns with preferences also have few values, but decisions should be about subscriptions and bans.
    @Test func appInitDraftsDecisionsAboutSubscriptionStates() throws {
        let database = try TestCluster.emptyDatabase()
        let tastes = (1...14).map { "taste_\($0) text" }.joined(separator: ", ")
        try database.run(
            "create type time_format as enum ('hours12', 'hours24')",
            """
            create table users (id uuid primary key, email text, time_format time_format, \(tastes))
            """,
            """
            create table subscriptions (id uuid primary key, user_id uuid not null references users on delete cascade,
                interval text check (interval in ('month', 'year')), status text check (status in ('active', 'past_due')),
                created_at timestamptz not null default now())
            """)
        let (_, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.decisions.map(\.name) == ["subscriptions"])
        #expect(app.decisions.first?.rules.map(\.outcome) == ["active", "past-due", "none"])
        #expect(app.objects.first?.selections.map(\.name) == ["active", "past-due"])
    }

    /// Django's tables: an app prefix before each name, text columns for states, and join tables.
    @Test func appInitShowsStatusColumnsOfDjangoTables() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table auth_user (id serial primary key, email varchar(254) not null, date_joined timestamptz not null)",
            "create table auth_group (id serial primary key, name varchar(80) not null, api_token text)",
            "create table auth_user_groups (id serial primary key, user_id integer not null references auth_user, group_id integer not null references auth_group)",
            "create table shop_shop (id serial primary key, name varchar(80) not null, client_id varchar(191) not null)",
            """
            create table order_order (id serial primary key, user_id integer references auth_user, shop_id integer references shop_shop,
                                      number varchar(20), \((1...9).map { "flag_\($0) boolean" }.joined(separator: ", ")),
                                      status varchar(20) not null, placed timestamptz not null)
            """,
            "create table parcel (id serial primary key, order_id integer references order_order, status varchar(9), token text, mail_token_new text)",
            "insert into auth_user select i, 'u' || i || '@example.com', now() from generate_series(1, 40) i",
            "insert into order_order (user_id, status, placed) select 1 + i % 40, (array['open', 'sent'])[1 + i % 2], now() from generate_series(1, 300) i",
            "insert into parcel (order_id, status) select i, (array['lost', 'there'])[1 + i % 2] from generate_series(1, 300) i",
            "analyze")
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.panels.map(\.title).sorted() == ["Auth user groups", "Order"])
        let orders = try #require(app.panels.first { $0.title == "Order" })
        for shown in ["t.number", "t.status", "t.placed"] {
            #expect(orders.select.text.contains(shown), "\(shown)")
        }
        #expect(app.decisions.map(\.name) == ["order"])
        #expect(app.decisions.first?.rules.map(\.outcome) == ["open", "sent", "other", "none"])
        #expect(app.objects.map(\.noun) == ["order", "parcel"])
        #expect(app.objects.last?.selections.map(\.name) == ["lost", "there"])
        // The draft declares the secrets of every table that it reads.
        #expect(
            Set(app.account?.secrets.map(\.column) ?? []) == [
                "public.parcel.token", "public.parcel.mail_token_new",
            ])
        #expect(!text.contains("t.token"))
    }

    /// A time column sorts the rows of a join table even if it can be null.
    @Test func appInitShowsTheRowsOfAJoinTable() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id uuid primary key, email text)",
            "create table teams (id uuid primary key, name text, plan text not null check (plan in ('free', 'pro')))",
            """
            create table members (team_id uuid references teams, user_id uuid references users, blocked_at timestamptz,
                primary key (team_id, user_id))
            """,
            "create table keys (id uuid primary key, user_id uuid references users, hashed_key text, credentials jsonb)"
        )
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.objects.map(\.noun) == ["teams"])
        #expect(text.contains("order by t.blocked_at desc nulls last"))
        #expect(app.account?.secrets.map(\.column) == ["public.keys.hashed_key", "public.keys.credentials"])
        #expect(!text.contains("t.hashed_key"))
    }

    /// An email may have a custom type.
    ///
    /// The draft leaves out references to another unique column than the key.
    @Test func appInitReadsEmailDomainsAndOmitsReferencesToOtherKeys() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create domain address as text check (value ~ '@')",
            "create table users (id text primary key, legacy bigint unique, mail address not null unique)",
            "create table orders (id bigserial primary key, buyer bigint references users (legacy) on delete cascade, total int)",
            "create table posts (id bigserial primary key, user_id text references users on delete cascade)",
            "insert into users values ('c7', 7, 'ada@example.com'), ('c8', 8, 'bob@example.com')",
            "insert into orders (buyer, total) values (7, 1), (7, 2), (8, 3)", "analyze")
        let (_, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.users.emails == ["mail"])
        #expect(app.panels.map(\.title) == ["Posts"])
    }

    /// Tables as Prisma creates them: quoted names, custom enums, and text keys.
    @Test func appInitQuotesNamesThatNeedQuotes() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create type \"Role\" as enum ('USER', 'ADMIN')", "create type \"SessionState\" as enum ('OPEN', 'CLOSED')",
            """
            create table "User" (id text primary key, email text not null, "passwordHash" text, role "Role" not null default 'USER',
                                 "twoFactorBackupCodes" text, "createdAt" timestamp(3) not null default now())
            """,
            """
            create table "Session" (id text primary key, "userId" text not null references "User" on delete cascade,
                                    state "SessionState" not null, "ipAddress" text, "order" integer, "createdAt" timestamp(3) not null)
            """,
            "insert into \"User\" (id, email) values ('a', 'ada@example.com')",
            "insert into \"Session\" values ('s', 'a', 'OPEN', null, 1, now())")
        let (text, app, findings) = try draft(database)
        #expect(findings.flatMap(\.report) == [])
        #expect(app.users.key == "id")
        #expect(text.contains("u.\"createdAt\" at time zone 'UTC' as created_at"))
        #expect(!text.contains("u.\"twoFactorBackupCodes\"") && !text.contains("u.\"passwordHash\""))
        #expect(app.account?.secrets.map(\.column).contains("public.\"User\".\"passwordHash\"") == true)
        // `session` is a word of usher, so the object gets another name.
        #expect(app.objects.map(\.noun) == ["session_row"])
        #expect(app.objects.first?.selections.map(\.name) == ["closed", "open"])
        let report = try UserQuestion(user: "ada@example.com", assumed: [:], wantsEverything: true).ask(
            on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(report.decisions.map(\.outcome) == ["open"])
        #expect(try report.panel("Session").rows?.rows.count == 1)
    }
}
