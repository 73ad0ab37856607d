import Asking
import LocalCluster
import PQ
import Support
import Testing

/// A command with a lasting effect, and the query that shows whether the effect happened.
///
/// In its texts, `{n}` is the number of the run, so that each run has its own rows. `{file}` is a new file, and
/// `{operation}` is the last recorded operation.
struct TestedCommand: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let database: @Sendable () throws -> TestDatabase
    /// Statements that create the rows before the command.
    var rows: [String] = []
    /// Commands that run before the tested command, without a fault.
    var before: [String] = []
    let words: String
    /// Counts the rows with the values that the command writes.
    let done: String
    let all: Int
    /// Counts the changed rows in the audit log since the time `{base}`.
    let recorded: String
    /// The position of the transaction with the change (or its first batch) among the transactions that record
    /// operations.
    var transaction = 1
    /// If true, the command works in batches, and --resume continues it.
    var isInBatches = false

    private static let changes = """
        select count(*) from usher.change c join usher.operation o on o.id = c.operation
         where o.outcome = 'committed' and o.at > '{base}'
        """
    private static func totals(of command: String) -> String {
        """
        select coalesce(sum((o.payload ->> 'total')::int), 0) from usher.operation o
         where o.outcome = 'committed' and o.command = '\(command)' and o.at > '{base}'
        """
    }
    private static let person = [
        "insert into auth.users (id, email) values (md5('person {n}')::uuid, 'person{n}@example.com')",
        "delete from public.profiles where email = 'person{n}@example.com'",
        "delete from public.impulse_quota where user_id = md5('person {n}')::uuid",
        """
        insert into public.profiles (id, email, subscription_tier, subscription_status, trial_ends_at)
        values (md5('person {n}')::uuid, 'person{n}@example.com', 'trial', 'active', now() + interval '1 hour')
        """,
    ]
    /// Counts the rows of a partner: the profile, and the row of the quota.
    private static let isPartner = """
        select (select count(*) from public.profiles where email = 'person{n}@example.com' and is_partner)
               + (select count(*) from public.impulse_quota where user_id = md5('person {n}')::uuid)
        """
    private static let account = [
        "insert into users values ({n}, 'u{n}@example.com')",
        "insert into posts select {n} * 10 + i, {n} from generate_series(1, 5) i",
    ]
    private static let isGone = """
        select 6 - (select count(*) from users where id = {n}) - (select count(*) from posts where user_id = {n})
        """

    private static let installs = """
        select count(*) from usher.operation o
         where o.outcome = 'committed' and o.kind = 'install' and o.at > '{base}'
        """

    static let all: [TestedCommand] = [
        TestedCommand(
            testDescription: "partner grant", database: { try Places.impulse.get() }, rows: person,
            words: "partner grant person{n}@example.com --source marketing --yes", done: isPartner, all: 2,
            recorded: changes),
        TestedCommand(
            testDescription: "audit undo", database: { try Places.impulse.get() }, rows: person,
            before: ["partner grant person{n}@example.com --source marketing --yes"],
            words: "audit undo {operation} --yes", done: "select 2 - (\(isPartner))", all: 2, recorded: changes),
        TestedCommand(
            testDescription: "quota set", database: { try Places.impulse.get() },
            words: "quota set mastery impulse_limit 1{n} --yes",
            done: "select count(*) from public.subscription_config where tier = 'mastery' and impulse_limit = 1{n}",
            all: 1, recorded: changes),
        TestedCommand(
            testDescription: "trial expire --due", database: { try Places.due.get() },
            rows: [
                "truncate usher.operation, usher.subject, usher.change, usher.seal, usher.sealed",
                """
                update public.profiles set subscription_tier = 'trial', subscription_status = 'active',
                       trial_ends_at = now() - interval '1 day' where email like 'due%'
                """,
            ],
            words: "trial expire --due --confirm \(Places.many)",
            done: "select count(*) from public.profiles where email like 'due%' and subscription_status <> 'active'",
            all: Places.many, recorded: changes, transaction: 2,
            isInBatches: true),
        TestedCommand(
            testDescription: "account delete", database: { try Places.accounts.get() }, rows: account,
            words: "account delete {n} --root users --confirm {n} --archive {file}", done: isGone, all: 6,
            recorded: totals(of: "account delete")),
        TestedCommand(
            testDescription: "account delete --batch", database: { try Places.accounts.get() }, rows: account,
            words: "account delete {n} --root users --confirm {n} --batch 2", done: isGone, all: 6,
            recorded: """
                select case when max(o.kind) = 'erasure' then 6 else coalesce(sum((o.payload ->> 'total')::int), 0) end
                  from usher.operation o
                 where o.outcome = 'committed' and o.kind in ('erasure', 'batch') and o.payload ? 'total'
                   and o.at > '{base}'
                """,
            isInBatches: true),
        TestedCommand(
            testDescription: "account restore", database: { try Places.accounts.get() }, rows: account,
            before: ["account delete {n} --root users --confirm {n} --archive {file}"],
            words: "account restore {file} --yes", done: "select 6 - (\(isGone))", all: 6,
            recorded: totals(of: "account restore")),
        TestedCommand(
            testDescription: "install, the first time", database: { try Places.installed.get() },
            rows: ["drop schema if exists usher cascade"], words: "install --environment test",
            done: "select count(*) from pg_namespace where nspname = 'usher'", all: 1, recorded: installs),
        TestedCommand(
            testDescription: "install", database: { try Places.installed.get() },
            before: ["install --environment staging"], words: "install --environment test",
            done: "select count(*) from usher.environment where name = 'test'", all: 1,
            recorded: installs),
    ]

    static func named(_ name: String) -> TestedCommand { all.first { $0.testDescription == name } ?? all[0] }
}

/// The databases of the commands, created on first use.
private enum Places {
    /// Enough users for two batches.
    static let many = 5_050

    static let impulse = Result { try MarkedDatabase.fresh() }

    static let due = Result {
        let database = try MarkedDatabase.fresh()
        try database.run(
            "update public.profiles set trial_ends_at = now() + interval '1 year' where trial_ends_at is not null",
            """
            insert into auth.users (id, email)
            select md5('due' || n)::uuid, 'due' || n || '@example.com' from generate_series(1, \(many)) n
            """,
            """
            insert into public.profiles (id, email)
            select md5('due' || n)::uuid, 'due' || n || '@example.com' from generate_series(1, \(many)) n
                on conflict (id) do update set email = excluded.email
            """)
        return database
    }

    static let accounts = Result {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id int primary key, email text)",
            "create table posts (id int primary key, user_id int references users)",
            "create index on posts (user_id)")
        let made = try Usher.program(["install", "--environment", "test"], on: database.conninfo())
        guard made.status == 0 else { throw Failure(.failed, made.errors) }
        return database
    }

    static let installed = Result { try TestCluster.emptyDatabase() }
}
