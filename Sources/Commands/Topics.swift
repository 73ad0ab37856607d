import CommandLine

/// Help that belongs to no command.
enum Topics {
    static let all = [connection, fleet, exitCodes, formatting, environment, apps, safety, deletion, words]

    private static let connection = Topic(
        name: "connection", summary: "How to reach a database, and what never to do.",
        text: """
            --db takes a URI, key=value pairs, or the name of a service or else of a database; each but a database may also stand \
            alone, in the place of a command. Without it libpq's own settings count: PGHOST, PGDATABASE and the other PG* variables, \
            PGSERVICE with \
            pg_service.conf, and ~/.pgpass for passwords; behind them DATABASE_URL, and where one of them stands before it \
            that is said. What connects psql connects usher, and a \
            password that is missing is asked for at a terminal, three times where it is mistyped.

              usher connect production
              usher -d production user find ada
              usher -d 'host=db.example.com dbname=app user=support' doctor
              usher postgresql://support@db.example.com/app

            `connect` takes a connection string as a provider shows it, tries it, and keeps it: the way as a service, the \
            password in ~/.pgpass, which only you can read. A password on the command line is used once, and said, because \
            every user of the machine can read it in the process list.

            usher rejects parameters of a URI that libpq doesn't know, such as those for other clients (pgbouncer, schema, \
            connection_limit): remove them.

            If usher can't connect, it shows libpq's message and what to check. `doctor` says which step failed: server, TLS, \
            password, access or database.

            Only sslmode=verify-full makes sure who answers: sslrootcert=FILE names the certificate of the authority, \
            sslrootcert=system means those that this machine trusts. Whatever is less is said in production.

            Everything works through a pooler in transaction mode: each read is one explicit transaction, statements are \
            never prepared by name, and nothing is set for longer than the transaction. Where a pooler loses answers to \
            statements that are sent together, `doctor` says so, and USHER_PIPELINE=off sends them one by one.
            """)

    private static let fleet = Topic(
        name: "fleet", summary: "Several databases of one kind, worked with as one.",
        text: """
            --fleet takes a file, or names of services or databases such as eu1,eu2; USHER_FLEET does the same for all \
            commands. The file has the form of pg_service.conf, with two words more: labels, and db for what stands behind \
            --db. A section with neither is the service of its name. A password in it is refused.

              [eu1]
              labels=eu,production
              host=eu1.example.com
              dbname=app

              [us1]
              labels=us,production
              db=postgresql://support@us1.example.com/app

            --only eu,production takes the databases that carry all of these labels, --member eu1 the one of that name.

            What only reads runs in all of them, eight at a time, each in a process of its own that asks nothing: passwords \
            come from services and .pgpass. People get one screen below the other, programs one result, in which every row \
            and every document says in `database` whose it is. A database that does not answer is named, and the exit code is \
            7; so is it where only one of them has something to say against the question. Rows in csv and tsv need the same \
            columns everywhere: choose them with --fields. A database with two names is two members. For a key and its database take -o tsv --fields database,id: -o name gives bare keys.

            A command about a user, an operation or a request runs in the database that has it, and a question before a \
            change says which that is. A user in several of them is a conflict, and --member says which is meant; with a \
            database that does not answer nobody knows, so a change wants --member too. Other changes always want it.

            `account plan` and `account delete` are about all databases that have the user: a deletion is tried in each of \
            them before anything is asked, and is then one operation in each. The same command goes on with what was left. \
            --archive and --files write one file for each, with its name at the end.

            Schemas of one database that have the same tables, one for each customer, are such a fleet too, where the app file \
            says @schema: they are found in the catalog, each is a member by its own name, and they are asked one after the other on one \
            connection; in several databases of a fleet each is DATABASE/SCHEMA. What is about the database as a whole, such as \
            `audit list`, is done once. They are only read, as yet; a change is refused.

              usher -d production --app ./shop.sql stats
              usher -d production --app ./shop.sql --member acme user show ada@example.com
              usher --fleet eu1,eu2 --app ./shop.sql --member eu1/acme check
            """)

    private static let exitCodes = Topic(
        name: "exit-codes", summary: "How the program ends, for scripts.",
        text: """
            These numbers do not change.

              0  done; also when a search found nothing
              1  failed
              2  the command line cannot be understood
              3  refused: a guard, a precondition, a missing or declined confirmation
              4  no such user or object
              5  cannot connect, or not permitted
              6  conflict: changed since the plan, or an address of several users
              7  partly done; also when the server warned as it committed
              130  interrupted

            What is done counts as done when its report cannot be written, to a full disk for instance: the operation is then \
            on standard error. Where the connection is lost during a commit, it is found out what became of it; where nobody \
            can be asked, it is said that this is unknown (exit 1), and `audit show` tells later.
            """)

    private static let formatting = Topic(
        name: "formatting", summary: "Output for people and for programs.",
        text: """
            Results go to standard output, everything else to standard error.

              table  for people: times short, ids shortened; fitted to the terminal, never cut in a pipe
              json  one document; numbers beyond 2^53, infinity and NaN are strings
              ndjson  one object a line
              csv  RFC 4180, exact values; NULL is empty, an empty text is ""
              tsv  as COPY writes it; NULL is \\N
              name  keys only

            --fields a,b picks columns, or the members of a document. Times in json, ndjson, csv and tsv are RFC 3339 \
            in UTC. With json and ndjson an error is one object on standard error, and so is what else there is to say: of a \
            standby {"standby":{"replayed":TIME,"seconds":N}}, unless the document says it, and in a fleet {"database":NAME,…}.

            csv and tsv are exact, and a spreadsheet runs what begins with = + - or @ as a formula: --for-spreadsheet puts an \
            apostrophe in front of such values. Numbers stay.

            A table looks the same in a pipe, except for colour and width: times are in the zone of --tz, else of TZ, which is named once. \
            On a terminal long output is paged. A time is typed as Postgres reads it, `2026-12-24 12:00` or yesterday; \
            without a zone of its own it is in that zone too.

            Values that hold control characters, or characters that change the direction of text or have no width, are shown \
            as \\u{…} wherever a terminal may be reading.
            """)

    private static let environment = Topic(
        name: "environment", summary: "Variables, and how a database says what it is.",
        text: """
              USHER_APP  the app definition, a name or a file
              USHER_APP_PATH  folders of app files of one's own, with colons between; the one that fits a database is chosen
              USHER_FLEET  several databases, as --fleet takes them, where neither --db nor --fleet names any
              USHER_COMPLETION_SECONDS  how long completion may ask the database, 0.3 if not set
              XDG_STATE_HOME  where the console keeps its history, ~/.local/state if not set
              XDG_CACHE_HOME  where the app of a database is remembered, ~/.cache if not set
              INPUTRC  the keys of the console, as for every program on readline; it says `$if Usher`
              PGHOST, PGDATABASE, PGSERVICE, …  as for every program on libpq
              DATABASE_URL  the database, where neither --db nor PG* names one
              NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM=dumb  colours
              USHER_PIPELINE  off to send statements one by one, through a pooler that loses answers
              USHER_PAGER, PSQL_PAGER, PAGER  what long output is read with, less if not set; cat or nothing for none
              TZ  the zone of typed times and of times in tables, unless --tz names one; json, ndjson, csv and tsv use UTC
              COLUMNS  the width, where the terminal does not tell
              USHER_STORAGE_URL  the storage API that removes the files of deleted accounts, http:// on this machine; https needs a local TLS proxy
              USHER_STORAGE_KEY_FILE  a file with its service key

            A database declares in usher.environment whether it is production, staging, development or test. What is \
            missing, doubled, unreadable or copied from another database counts as production.
            """)

    private static let apps = Topic(
        name: "apps", summary: "App files, and how one is chosen.",
        text: """
            An app file is annotated SQL: who the users are, what is decided about them, what to show. --app names one that \
            the program was built with, or a file by its path; else USHER_APP counts; else the one whose @requires all \
            exist in the database.

              usher app list
              usher app show ./mine.sql
              usher --app ./mine.sql user show ada@example.com
            """)

    private static let safety = Topic(
        name: "safety", summary: "What the program never does.",
        text: """
            A dry run is the real run, rolled back: the same statements, triggers and constraints, and every row that changed. \
            A change shows what it does, asks in proportion to its grade, runs again, and is taken back when it would come to \
            something else. What it promises is decided anew before anything lasts. Who, when, why and every row before and \
            after are recorded in the same transaction, and `undo` restores them.

            Operators write nothing themselves. What an app file lets them do is compiled into the database by `install`, and \
            functions there, which run as its owner, do it: for whoever has the role of the act, in the environment that the \
            database declares, and as it was installed. An app file that is not the installed one can be read with. Deleting \
            and restoring accounts is for usher_eraser alone, and done with that role's own rights. What is for another role is asked \
            for with --request, and done by whoever approves it; an act may take two in production. The requester sees the \
            change that the approver will see, really run and rolled back, unless a trigger or function reaches outside \
            the transaction. --also FILE adds lists, panels and checks of your own to the installed app file, for reading only.

              mild  runs at once, except where a terminal asks
              moderate  asks for a yes; --yes answers
              severe  asks for the address, or for how many there are; --confirm answers, --yes does not

            At a terminal, every change in production and every change of more than one user shows its preview and asks; \
            so does `again`. --yes answers. A hundred users are severe in any case, and in production more than ten.

            In production a change needs --reason, and test states are impossible, whatever flags are given. After a lost \
            connection the program finds out what became of a commit, and repeats nothing. Many users are changed in batches, \
            each one transaction; Ctrl-C ends after the present one and --resume goes on.

            Users are matched exactly: by key, by address, or by what the app file ties to them, and then it is said by what; an account is planned, deleted and exported by key or address alone. Reading commands run in read-only transactions. Rows that row security may hide are never counted as absent: what cannot be seen whole says so. \
            Ctrl-C cancels on the server; a second one gives up the connection.
            """)

    private static let deletion = Topic(
        name: "deletion", summary: "How an account is deleted.",
        text: """
            `account plan` shows which rows are owned (only this user's), shared (also another user's), detached (they stay \
            without the reference) and kept. Shared rows and undeclared columns refuse a deletion until an option or a line of \
            the app file answers:

              --shared delete  shared rows are deleted
              --shared detach  shared rows stay, their references to the user are emptied
              --undeclared delete|detach|keep  all undeclared columns
              --undeclared public.visits.user_id=keep  one column; with a table, all of its columns

            The deletion runs in one transaction. Before the commit usher verifies that no row is left that should be deleted. \
            It searches keys and emails as whole values; `account search` also searches texts and JSON. The audit log keeps \
            counts and the reason, and forgets what was done to this user before.

            --archive FILE writes what `account restore` needs, after trying the restore in the same transaction. --batch N \
            deletes big accounts in several transactions; the same command with --resume ID continues after an interruption. \
            A statement may take ten minutes; --timeout changes that.

            Stored files are removed by the storage API after the commit, if USHER_STORAGE_URL and USHER_STORAGE_KEY_FILE are \
            set; --resume ID tries again. usher has no TLS, so the URL is http:// and a loopback address; for another machine \
            run a TLS proxy such as stunnel.
            """)

    private static let words = Topic(
        name: "words", summary: "What the words mean that stand on the screens.",
        text: """
            On a user's screen:

              broken  an invariant of the app that this user breaks now; `check` asks it of everybody
              waiting  something of the user's that a repair would take, such as a webhook that nobody processed
              unfinished  a change of many that stopped before it came to this user
              undone  the last change of this user was taken back
              uncertain  a rule before the one that decided could not be evaluated, so it might have decided

            About deleting accounts:

              owned  rows that belong to this user only
              shared  rows that also belong to another user, such as messages between two
              kept  rows that stay, with a reason
              detached  rows that stay without the reference to the user
              set  rows that stay with another value in a column
              undeclared  columns that contain the user's key or email, of which no line of the app file says anything
              leftover  data about a deleted user that is still there

            About changes:

              mild, moderate, severe  how much a change may break, and so what it asks for; see `help safety`
              final  a change that cannot be undone
              partial  a change of many that was done to some and refused for others
              lost  a change of which nobody knows whether it was committed; it is settled by the next operation
            """)
}
