import AppFile
import CommandLine

enum Topics {
    static let all = [
        connection, supabase, fleet, environment, safety, undo, roles, requests, deletion, decision, apps, language,
        formatting, exitCodes, words,
    ]

    private static let connection = Topic(
        name: "connection", summary: "Connect to a database safely.",
        text: """
            If psql can connect, so can usher. --db takes a URI, key=value pairs, the name of a service, or the name of a \
            database. Without --db, usher uses the variables of libpq (PGHOST, PGDATABASE, PGSERVICE), pg_service.conf and \
            ~/.pgpass. DATABASE_URL comes last; usher tells you when another setting overrides it. At a terminal usher asks \
            for a missing password.

              usher connect production
              usher -d production user find ada
              usher -d 'host=db.example.com dbname=app user=support' doctor
              usher -d postgresql://support@db.example.com/app

            `usher connect` takes the connection string of your provider, tries it, and stores it. The server becomes a service \
            in pg_service.conf. The password goes into ~/.pgpass, which only you can read. Don't type a password on the command line: every user of the \
            machine can read it in the process list.

            usher rejects URI parameters that libpq doesn't know, such as pgbouncer, schema or connection_limit. Remove these parameters.

            If usher can't connect, it shows the message of libpq and what to check. `doctor` says which step failed: \
            server, TLS, password, access or database.

            Only sslmode=verify-full proves that you reach the right server. With sslrootcert=FILE, libpq trusts the \
            authority whose certificate is in FILE. With sslrootcert=system, libpq 16 or later trusts the authorities that this machine trusts. In production, usher warns you about any weaker setting.

            usher works with poolers in transaction mode. If `doctor` reports that a pooler loses answers, set USHER_PIPELINE=off; usher then sends statements one by one.

            --timeout SECONDS limits connecting and each statement. The default is 10 seconds; commands that read a whole \
            account have ten minutes for each statement, and `audit verify` has no limit. If the server is a standby, usher reads from it and sends changes to the primary.
            """)

    private static let supabase = Topic(
        name: "supabase", summary: "Connect to a Supabase project.",
        text: """
            Copy the connection string of the session pooler from the Supabase dashboard (button Connect), then run:

              usher connect production

            usher asks for the connection string and stores it. The direct connection needs IPv6; use the session pooler if you have \
            only IPv4. The transaction pooler on port 6543 works, too.

            The role postgres of Supabase owns the tables, so it can run `usher install` and `usher roles sql`. Create \
            a login role for each operator, grant usher_support to each of these roles, and don't share the password of postgres.

            `@include supabase` in an app file adds what all Supabase apps have: sign-in methods, sessions, and what belongs \
            to an account in the schemas auth and storage. usher deletes stored files through the storage API, if \
            USHER_STORAGE_URL and USHER_STORAGE_KEY_FILE are set.
            """)

    private static let fleet = Topic(
        name: "fleet", summary: "Work with several databases at once.",
        text: """
            --fleet takes a file, or the names of services or databases: eu1,eu2. The environment variable USHER_FLEET has the same effect for all commands. \
            The file has the format of pg_service.conf with two more settings: `labels`, and `db` for a value of --db. A section without \
            `db` and without connection settings refers to the service of the same name. Passwords are not allowed in this file.

              [eu1]
              labels=eu,production
              host=eu1.example.com
              dbname=app

              [us1]
              labels=us,production
              db=postgresql://support@us1.example.com/app

            --only eu,production chooses the databases with all of these labels. --member eu1 chooses one database by name.

            Read-only commands run in all databases, eight at a time. Each database has its own process, which can't ask questions: passwords come from services and .pgpass. usher prints one table per database. json, csv and the other formats give one result, in which the column `database` contains \
            the name of the database of each row. If a database doesn't answer or rejects the query, usher names this database, shows the \
            results of the other databases, and exits with 7. csv and tsv need the same columns everywhere: choose them with --fields. To print each key with its \
            database, use -o tsv --fields database,id.

            A command about a user, an operation or a request runs in the database that has it. If several databases have the \
            user, choose a database with --member. If a database is down, usher can't tell where the user is, so a change also needs \
            --member. Changes without a user always need --member.

            `account plan` and `account delete` run in every database that has the user. usher tries the deletion in all of \
            these databases before it asks for confirmation. Run the same command again to continue after an error. --archive writes one file \
            per database.

            An app file with @schema treats the schemas of one database as a fleet, one member per tenant. usher finds the schemas in the catalog and queries them one after the other. usher can't change data in such a fleet. Commands about the whole database, such as `audit list`, run once, not once per schema.

              usher -d production --app ./shop.sql stats
              usher -d production --app ./shop.sql --member acme user show ada@example.com
            """)

    private static let exitCodes = Topic(
        name: "exit-codes", summary: "Exit codes for scripts.",
        text: """
            These numbers do not change.

              0  done; also if a search found nothing
              1  failed
              2  usage error: unknown command or option
              3  refused by a condition, or not confirmed
              4  no such user or object
              5  can't connect, or not permitted
              6  conflict: the data changed since the plan, or the email belongs to several users
              7  partly done; also if the server warned during the commit
              130  interrupted

            If usher can't write the output (disk full, for example), the change still counts as done; the operation id goes \
            to standard error. If the connection drops during a commit, usher checks whether the commit went through. If usher can't find out, it says so and exits with 1; check the operation later with `audit show`.
            """)

    private static let formatting = Topic(
        name: "formatting", summary: "Output formats, times and columns.",
        text: """
            Results go to standard output, everything else to standard error.

              table  for people: short times and ids, fitted to the terminal, never cut in a pipe
              json  one document; numbers beyond 2^53, infinity and NaN are strings
              ndjson  one object per line
              csv  RFC 4180, exact values; NULL is empty, an empty text is ""
              tsv  the format of COPY; NULL is \\N
              name  keys only

            --fields a,b chooses columns of a table, or fields of a JSON document. Times in json, ndjson, csv and tsv are RFC 3339 in UTC. \
            With json and ndjson, errors and remarks are objects on standard error, one per line.

            A spreadsheet runs values that begin with = + - or @ as formulas. --for-spreadsheet puts an apostrophe before \
            such values in csv and tsv. Numbers stay unchanged.

            Tables look the same in a pipe, without colors. Tables show times in the zone of --tz, or else of TZ, and name the zone once. You can type \
            times as in Postgres: `2026-12-24 12:00` or `yesterday`. usher reads a typed time without a zone in the same zone. Long output opens in a \
            pager on a terminal.

            usher prints control characters and invisible characters as \\u{…}, so that they can't harm your terminal.
            """)

    private static let environment = Topic(
        name: "environment", summary: "Environment variables, and production.",
        text: """
              USHER_APP  the app file, a name or a path
              USHER_APP_PATH  folders with your app files, separated by colons; usher chooses the file that fits
              USHER_FLEET  several databases, as for --fleet
              USHER_COMPLETION_SECONDS  time limit for completion queries; default 0.3
              XDG_STATE_HOME  folder for the history of the console; default ~/.local/state
              XDG_CACHE_HOME  folder for the cache; default ~/.cache
              INPUTRC  key bindings of readline; `$if Usher` begins settings for usher only
              PGHOST, PGDATABASE, PGSERVICE, …  connection settings of libpq
              DATABASE_URL  the database, if neither --db nor PG* names one
              NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM=dumb  turn colors on or off
              USHER_PIPELINE  `off` sends statements one by one, for poolers that lose answers
              USHER_PAGER, PSQL_PAGER, PAGER  the pager; default `less`; with `cat` or an empty value usher opens no pager
              TZ  the zone of typed times and of times in tables; --tz wins over TZ
              COLUMNS  the width, if the terminal doesn't report one
              USHER_STORAGE_URL  the URL of the storage API that deletes files; for https, run a local TLS proxy
              USHER_STORAGE_KEY_FILE  a file with the service key of the storage API

            `usher install --environment E` declares the environment of a database: production, staging, development or test. usher treats a database \
            as production if its environment is missing, unreadable, declared several times, or copied from another database.
            """)

    private static let safety = Topic(
        name: "safety", summary: "How usher protects your data.",
        text: """
            --dry-run runs the real change and rolls it back, triggers and constraints included. Without --dry-run, usher previews the change, asks for confirmation depending on the grade of the change, and runs it. usher rolls back the change if the result differs from the preview, or if a decision doesn't have the expected outcome. The audit log stores who made the change, when and why, and every \
            row before and after the change.

            Support, admins and engineers can't write to tables directly. `install` stores the actions of the app file in the schema \
            usher. Functions of the schema's owner check the operator's role and the environment, and then run an action. You can read with any app \
            file; changes need the installed app file. Only the role usher_eraser deletes and restores accounts. \
            With --request, another role or a second person approves a change; you see the same preview as the approver. \
            --also FILE adds your own lists, panels and checks, for reading only.

              mild  runs without asking
              moderate  asks for yes or no; --yes answers yes
              severe  asks you to type a name or number from the preview; --confirm VALUE answers, --yes doesn't

            At a terminal, usher asks before every change in production, and before every change of several users. Changing \
            100 or more users (more than 10 in production) always counts as severe. In production a change needs --reason, \
            and usher refuses to force test states.

            usher changes many users in batches, one transaction each. Ctrl-C stops after the current batch; run the command \
            again with --resume ID to continue. After a lost connection usher finds out whether the commit went through, and \
            doesn't repeat the change.

            A change finds a user by id, by email, or by a value such as an order number; usher then shows which value matched. \
            `account` commands take only ids and emails. usher reads data in read-only transactions. If row security \
            may hide rows, usher says so.
            """)

    private static let undo = Topic(
        name: "undo", summary: "Undo a change.",
        text: """
            If a change can be undone, usher prints the command for the undo. `undo last` undoes your own last change; `undo ID` takes the first \
            8 characters of an id from `audit list`. usher previews the undo, asks for confirmation, and logs the undo. An undo can be undone, too.

            usher restores the values that the operation changed, except in columns that triggers overwrite. If somebody changed the row since, usher refuses and names \
            that later operation. Undo the later operation first, or skip this user with --except USER.

              usher undo last
              usher undo 3f8a12bc --except ada@example.com
              usher audit undo --operator bob --since yesterday

            Actions marked @final can't be undone. `account restore` restores a deleted account, if the deletion wrote \
            an archive.
            """)

    private static let roles = Topic(
        name: "roles", summary: "Rights of each operator role.",
        text: """
              support  usher_support: sees users, runs the actions for support
              admin  usher_admin: also runs the actions for admins, changes settings, approves requests
              engineer  usher_engineer: also forces test states, and everything else that the app file declares
              eraser  usher_eraser: deletes and restores accounts
              auditor  usher_auditor: verifies the audit log

            The role admin includes support, and engineer includes admin. `install` creates these roles. `roles sql` prints the grants that these roles need on the tables of the app; the owner of the tables runs the grants with psql. Then grant a role to each operator:

              usher roles sql >grants.sql
              psql -f grants.sql
              psql -c 'grant usher_support to lin'

            `roles show` compares the grants with what the app file needs. If you don't have the role for a change, request it \
            with --request.
            """)

    private static let requests = Topic(
        name: "requests", summary: "Request a change, and approve one.",
        text: """
            If a change needs another role, add --request. Some actions need two people in production (@approve); request these actions with --request, too. usher checks the change and stores it, but changes nothing.

              usher partner grant ada@example.com --source marketing --request --reason 'agreed by phone'
              usher request list
              usher request approve 0f3c9a11

            `request list` shows open requests, and so does `user show`. `request approve` previews the change, runs it under \
            your name, and logs both names. If the data or the action changed since the request, usher shows the new plan and stops with exit 6; --moved approves the new plan. If an action needs two people, you can't approve your own request.

            `request decline ID --reason TEXT` declines a request, and the requester can read the reason. `request withdraw ID` withdraws your own request. \
            To approve a request to delete an account, use `request approve` with the options of `account delete`.
            """)

    private static let deletion = Topic(
        name: "deletion", summary: "How usher deletes an account.",
        text: """
            `account plan` shows which rows are owned (only this user's), shared (also another user's), detached (they stay without the reference) and kept. usher refuses to delete while there are shared rows or undeclared columns. Decide with a line in the app file, or with one of these options:

              --shared delete  shared rows are deleted
              --shared detach  shared rows stay, without references to the user
              --undeclared delete|detach|keep  the decision for all undeclared columns
              --undeclared public.visits.user_id=keep  the decision for one column; with a table, for all of its columns

            The deletion runs in one transaction. usher refuses if there are new tables or shared rows since the preview. Before the commit usher verifies that no row is left that should be deleted. usher searches for keys and emails as whole values; `account search` also searches texts and JSON. The audit log keeps the row counts and the reason. usher removes from the audit log what earlier operations recorded about this user.

            --archive FILE writes what `account restore` needs, after trying the restore in the same transaction. --batch N deletes big accounts in several transactions; the same command with --resume ID continues after an interruption. A statement may take ten minutes; --timeout changes this limit.

            The storage API deletes stored files after the commit, if USHER_STORAGE_URL and USHER_STORAGE_KEY_FILE are set; \
            if this fails, --resume ID tries again. usher calls the storage API without TLS, so the URL must begin with http:// and contain a loopback address. For another machine run \
            a TLS proxy such as stunnel.
            """)

    private static let decision = Topic(
        name: "decision", summary: "Read the answer of a decision.",
        text: """
            A decision is a question such as “Does the app let this user in?” The app file answers it for each user. Its \
            rules are ordered: the first true rule gives the outcome. `user show` prints the outcome, the reason and the \
            advice. `user why` prints the rules up to the one that decided; -v prints all rules:

              ▸  the rule that decided
              ·  a rule that doesn't apply, with the reason after ←
              ?  a rule with unknown facts
              !  a rule that failed with an error

            Some facts are not in the database, such as what the phone shows. Ask the user for such a fact, and add the fact with --assume:

              usher user why ada@example.com --assume session=true
              usher user why ada@example.com --at 2026-12-24
              usher user why ada@example.com --against ben@example.com

            --at evaluates the rules for another time, with today's data. --against shows only the differences between two users. The \
            outcome `unknown` means that a fact is missing; the advice explains where to find the fact.
            """)

    private static let apps = Topic(
        name: "apps", summary: "App files, and how usher chooses one.",
        text: """
            An app file describes your app in SQL: who the users are, what the app decides about them, what support sees and \
            can change. usher chooses a file in this order: --app, USHER_APP, then the file whose @requires tables all exist \
            in the database. --app takes a name from `app list` or a path.

              usher app list
              usher app show ./mine.sql
              usher --app ./mine.sql user show ada@example.com

            `usher help language` is the reference of the language. `app init` drafts a file from your tables.
            """)

    private static let language = Topic(
        name: "language", summary: "The reference of app files.",
        text: """
            A line `-- @word …` at the left margin is a directive. A comment line with three or more spaces after the dashes continues the directive above. A block directive begins a block; other directives belong to the block above them. SQL belongs \
            to the nearest directive above that takes SQL, and ends with a semicolon. Name every table with its schema.

            SQL can use these parameters, and those that the file declares:

            \(Language.parameters.map { "  \($0.name)  \($0.meaning)\n" }.joined())
            Sentences contain facts in braces, {email}, and commands in backticks. Each entry below ends with an example.

            \(Language.reference)
            """)

    private static let words = Topic(
        name: "words", summary: "Glossary: terms you see in the output.",
        text: """
            On a user's screen:

              broken  a check of the app that this user fails; `usher check` runs all checks for all users
              waiting  an item that needs a repair, such as an unprocessed webhook
              unfinished  a bulk change stopped before it reached this user
              undone  somebody undid the last change of this user
              uncertain  an earlier rule failed, so the outcome may be wrong

            About deleting accounts (see also `usher help deletion`):

              set  rows that stay with a new value in a column
              undeclared  columns with the user's id or email for which the app file has no `@account` line
              leftover  data about a deleted user that is still in the database

            About changes:

              mild, moderate, severe  the risk of a change, and how it is confirmed; see `usher help safety`
              final  a change that can't be undone
              partial  a bulk change that usher refused for some users
              lost  a change whose commit is uncertain; usher finds out with the next operation
            """)
}
