# Completion of usher for fish: usher completion fish | source

# Names that only the app or the database knows (app, check, column, decision, operation, selection, setting, settings, state, user) come from here and from nowhere else.
# Nothing offers them yet: to do so, print those of KIND that begin with PREFIX, one a line, by calling
# `usher __complete KIND PREFIX`.
function __usher_dynamic --argument-names kind prefix
end

function __usher_files --argument-names prefix
    __fish_complete_path $prefix
end

function __usher_option_value --argument-names spot option prefix
    switch "$spot|$option"
        case 'user list|--where'
            __usher_dynamic 'selection' "$prefix"
        case 'user list|--decision'
            __usher_dynamic 'decision' "$prefix"
        case 'user why|--facts'
            __usher_files "$prefix"
        case 'account plan|--collateral'
            printf '%s\t%s\n' 'delete' 'they go too'
            printf '%s\t%s\n' 'keep' 'they stay, with what they need'
            printf '%s\t%s\n' 'detach' 'they stay and lose the reference'
        case 'account delete|--collateral'
            printf '%s\t%s\n' 'delete' 'they go too'
            printf '%s\t%s\n' 'keep' 'they stay, with what they need'
            printf '%s\t%s\n' 'detach' 'they stay and lose the reference'
        case 'account delete|--suspected'
            printf '%s\t%s\n' 'delete' 'the rows go too'
            printf '%s\t%s\n' 'detach' 'the columns are emptied'
            printf '%s\t%s\n' 'keep' 'they stay'
        case 'account delete|--from'
            __usher_files "$prefix"
        case 'audit list|--user'
            __usher_dynamic 'user' "$prefix"
        case 'install|--environment'
            printf '%s\n' 'production'
            printf '%s\n' 'staging'
            printf '%s\n' 'development'
            printf '%s\n' 'test'
        case 'demo|--stop'
            __usher_files "$prefix"
        case '*|--app'
            __usher_files "$prefix"
            __usher_dynamic 'app' "$prefix"
        case '*|--output' '*|-o'
            printf '%s\t%s\n' 'table' 'for people'
            printf '%s\t%s\n' 'json' 'one document'
            printf '%s\t%s\n' 'ndjson' 'one object a line'
            printf '%s\t%s\n' 'csv' 'RFC 4180, exact values'
            printf '%s\t%s\n' 'tsv' 'as COPY writes it'
            printf '%s\t%s\n' 'name' 'keys only, for xargs'
    end
end

function __usher_argument --argument-names spot slot prefix
    switch "$spot|$slot"
        case 'user show|0'
            __usher_dynamic 'user' "$prefix"
        case 'user why|0'
            __usher_dynamic 'user' "$prefix"
        case 'user timeline|0'
            __usher_dynamic 'user' "$prefix"
        case 'quota show|0'
            __usher_dynamic 'user' "$prefix"
        case 'quota set|0'
            __usher_dynamic 'setting' "$prefix"
        case 'quota set|1'
            __usher_dynamic 'column' "$prefix"
        case 'settings show|0'
            __usher_dynamic 'settings' "$prefix"
        case 'settings set|0'
            __usher_dynamic 'settings' "$prefix"
        case 'settings set|1'
            __usher_dynamic 'setting' "$prefix"
        case 'settings set|2'
            __usher_dynamic 'column' "$prefix"
        case 'account plan|0'
            __usher_dynamic 'user' "$prefix"
        case 'account delete|*'
            __usher_dynamic 'user' "$prefix"
        case 'state force|0'
            __usher_dynamic 'user' "$prefix"
        case 'state force|1'
            __usher_dynamic 'state' "$prefix"
        case 'audit undo|0'
            __usher_dynamic 'operation' "$prefix"
        case 'app show|0'
            __usher_files "$prefix"
            __usher_dynamic 'app' "$prefix"
        case 'app check|0'
            __usher_files "$prefix"
            __usher_dynamic 'app' "$prefix"
        case 'check|0'
            __usher_dynamic 'check' "$prefix"
        case 'demo|0'
            __usher_files "$prefix"
            __usher_dynamic 'app' "$prefix"
        case 'completion|0'
            printf '%s\n' 'bash'
            printf '%s\n' 'zsh'
            printf '%s\n' 'fish'
        case 'help|0'
            printf '%s\t%s\n' 'connection' 'How to reach a database, and what never to do.'
            printf '%s\t%s\n' 'exit-codes' 'How the program ends, for scripts.'
            printf '%s\t%s\n' 'formatting' 'Output for people and for programs.'
            printf '%s\t%s\n' 'environment' 'Variables, and how a database says what it is.'
            printf '%s\t%s\n' 'apps' 'App files, and how one is chosen.'
            printf '%s\t%s\n' 'safety' 'What the program never does.'
            printf '%s\t%s\n' 'user' 'Find users, and see what they meet and why.'
            printf '%s\t%s\n' 'account' 'Plan and run the deletion of accounts.'
            printf '%s\t%s\n' 'quota' 'See what is used of what is allowed, and change the limits.'
            printf '%s\t%s\n' 'settings' 'Configuration tables that an operator may change.'
            printf '%s\t%s\n' 'state' 'Test states that an engineer forces; never in production.'
            printf '%s\t%s\n' 'audit' 'See what operators did, and whether the record of it is whole.'
            printf '%s\t%s\n' 'app' 'The app files that say what a database means.'
            printf '%s\t%s\n' 'check' 'The app\'s invariants, and what breaks them.'
            printf '%s\t%s\n' 'install' 'Make what changes need in the database: the audit schema, the mark, the roles.'
            printf '%s\t%s\n' 'doctor' 'Look at the connection and the database, each finding with its remedy.'
            printf '%s\t%s\n' 'demo' 'A private Postgres with schema and sample data, then the console on it.'
            printf '%s\t%s\n' 'completion' 'The completion script of a shell.'
            printf '%s\t%s\n' 'help' 'Help on a topic, a noun or a command.'
            printf '%s\t%s\n' 'version' 'The version of the program.'
    end
end

function __usher_words --argument-names spot
    switch "$spot"
        case ''
            printf '%s\t%s\n' 'user' 'Find users, and see what they meet and why.'
            printf '%s\t%s\n' 'account' 'Plan and run the deletion of accounts.'
            printf '%s\t%s\n' 'quota' 'See what is used of what is allowed, and change the limits.'
            printf '%s\t%s\n' 'settings' 'Configuration tables that an operator may change.'
            printf '%s\t%s\n' 'state' 'Test states that an engineer forces; never in production.'
            printf '%s\t%s\n' 'audit' 'See what operators did, and whether the record of it is whole.'
            printf '%s\t%s\n' 'app' 'The app files that say what a database means.'
            printf '%s\t%s\n' 'check' 'The app\'s invariants, and what breaks them.'
            printf '%s\t%s\n' 'install' 'Make what changes need in the database: the audit schema, the mark, the roles.'
            printf '%s\t%s\n' 'doctor' 'Look at the connection and the database, each finding with its remedy.'
            printf '%s\t%s\n' 'demo' 'A private Postgres with schema and sample data, then the console on it.'
            printf '%s\t%s\n' 'completion' 'The completion script of a shell.'
            printf '%s\t%s\n' 'help' 'Help on a topic, a noun or a command.'
            printf '%s\t%s\n' 'version' 'The version of the program.'
        case 'user'
            printf '%s\t%s\n' 'find' 'Search for users: by id, by address, by its beginning, then anywhere.'
            printf '%s\t%s\n' 'list' 'List users, all or those of a selection or an outcome; streamed.'
            printf '%s\t%s\n' 'show' 'One screen: who this is, what they meet and why, what to do.'
            printf '%s\t%s\n' 'why' 'Every decision about a user: the rules in order, and the one that decided.'
            printf '%s\t%s\n' 'timeline' 'What happened to a user, from all sources, the latest first.'
        case 'account'
            printf '%s\t%s\n' 'plan' 'What deleting an account would do, to whom, and what stands in the way.'
            printf '%s\t%s\n' 'delete' 'Delete accounts completely, and prove it.'
        case 'quota'
            printf '%s\t%s\n' 'show' 'What a user has used of what is allowed, or how all users stand.'
            printf '%s\t%s\n' 'set' 'Change a limit of a tier, and see first who would be over it.'
        case 'settings'
            printf '%s\t%s\n' 'show' 'An editable configuration table, row by row.'
            printf '%s\t%s\n' 'set' 'Change one cell of a configuration table, and see first what that does.'
        case 'state'
            printf '%s\t%s\n' 'list' 'The test states that an engineer can force, and what each must decide.'
            printf '%s\t%s\n' 'force' 'Put a test user into a state; impossible where the database says production.'
        case 'audit'
            printf '%s\t%s\n' 'list' 'What operators did, the latest first.'
            printf '%s\t%s\n' 'show' 'One operation: who, why, and every row it changed.'
            printf '%s\t%s\n' 'undo' 'Take an operation back: put every column it wrote to what it was.'
            printf '%s\t%s\n' 'verify' 'Whether the audit is as it was written.'
        case 'app'
            printf '%s\t%s\n' 'list' 'The apps this program knows, and what each requires of a database.'
            printf '%s\t%s\n' 'show' 'What an app file says: decisions, selections, quotas, panels.'
            printf '%s\t%s\n' 'check' 'Hold an app file against the database, without running anything of it.'
            printf '%s\t%s\n' 'init' 'Draft an app file from the catalog of an unknown database.'
    end
end

function __usher_options --argument-names spot
    switch "$spot"
        case 'user find'
            printf '%s\t%s\n' '--limit' 'At most so many.'
        case 'user list'
            printf '%s\t%s\n' '--where' 'Only a selection of the app; `app show` lists them.'
            printf '%s\t%s\n' '--decision' 'Only those for whom a decision has this outcome.'
            printf '%s\t%s\n' '--limit' 'At most so many.'
        case 'user why'
            printf '%s\t%s\n' '--assume' 'Suppose a fact for this question.'
            printf '%s\t%s\n' '--facts' 'Suppose the members of a JSON object, such as a provider\'s answer.'
        case 'user timeline'
            printf '%s\t%s\n' '--since' 'Nothing older than that instant.'
            printf '%s\t%s\n' '--limit' 'At most so many.'
        case 'account plan'
            printf '%s\t%s\n' '--root' 'The table that USER is a value of, where no app file says so; the column is its primary key unless given.'
            printf '%s\t%s\n' '--collateral' 'What becomes of rows that also point at another user; unanswered, their presence refuses.'
            printf '%s\t%s\n' '--check' 'Exit 1 when a column holds the person that nobody classified.'
        case 'account delete'
            printf '%s\t%s\n' '--root' 'The table that USER is a value of, where no app file says so; the column is its primary key unless given.'
            printf '%s\t%s\n' '--collateral' 'What becomes of rows that also point at another user; unanswered, their presence refuses.'
            printf '%s\t%s\n' '--set' 'A custom setting of the transaction that triggers ask for, such as request.jwt.claim.sub=ID.'
            printf '%s\t%s\n' '--suspected' 'What becomes of columns that hold the person although nothing declares it.'
            printf '%s\t%s\n' '--allow-effects' 'Let a dry run call triggers that reach outside the transaction.'
            printf '%s\t%s\n' '--from' 'Read them from a file, one a line; # begins a comment.'
        case 'state force'
            printf '%s\t%s\n' '--all-states' 'Every state, each for the user named after it.'
        case 'audit list'
            printf '%s\t%s\n' '--limit' 'At most so many.'
            printf '%s\t%s\n' '--user' 'Only what was done to this user.'
            printf '%s\t%s\n' '--operator' 'Only what this role did.'
            printf '%s\t%s\n' '--since' 'Nothing older than that instant.'
        case 'audit verify'
            printf '%s\t%s\n' '--head' 'A head that was printed earlier; it must be in the chain.'
        case 'check'
            printf '%s\t%s\n' '--limit' 'At most so many.'
        case 'install'
            printf '%s\t%s\n' '--environment' 'Declare what the database is.'
            printf '%s\t%s\n' '--sql' 'Print the SQL for psql instead, and write nothing.'
        case 'demo'
            printf '%s\t%s\n' '--keep' 'Leave the server running, and print how to reach it.'
            printf '%s\t%s\n' '--stop' 'End a server that was kept.'
        case 'help'
            printf '%s\t%s\n' '--man' 'The manual page, for man(1).'
    end
    printf '%s\t%s\n' '--db' 'The database: conninfo string, URI or service name; else what libpq finds (PG*, service, .pgpass).'
    printf '%s\t%s\n' '--app' 'The app definition; else USHER_APP, else the one that fits the database.'
    printf '%s\t%s\n' '--output' 'How results are written.'
    printf '%s\t%s\n' '--json' 'Short for -o json.'
    printf '%s\t%s\n' '--fields' 'Only these columns, in this order.'
    printf '%s\t%s\n' '--dry-run' 'Really run, show, and roll back.'
    printf '%s\t%s\n' '--yes' 'Answers moderate confirmations; never severe ones.'
    printf '%s\t%s\n' '--confirm' 'Answers a severe confirmation: the address, or the count for many.'
    printf '%s\t%s\n' '--reason' 'Why; recorded, required in production.'
    printf '%s\t%s\n' '--ticket' 'The ticket; recorded.'
    printf '%s\t%s\n' '--at' 'Decide for that instant instead of now (reading commands only).'
    printf '%s\t%s\n' '--timeout' 'How long one statement may take; 0 for as long as it likes.'
    printf '%s\t%s\n' '--keep-going' 'In a script, go on after a command that failed.'
    printf '%s\t%s\n' '--no-color' 'No colours; NO_COLOR does the same.'
    printf '%s\t%s\n' '--no-input' 'Never ask; what needs an answer is refused.'
    printf '%s\t%s\n' '--no-pager' 'Never page long output.'
    printf '%s\t%s\n' '--no-progress' 'No progress on the terminal.'
    printf '%s\t%s\n' '--quiet' 'No remarks, only results and errors.'
    printf '%s\t%s\n' '--verbose' 'More about errors and the connection.'
    printf '%s\t%s\n' '--show-sql' 'Show the statements of the app file and their values, on standard error.'
    printf '%s\t%s\n' '--help' 'Help for what stands before it.'
    printf '%s\t%s\n' '--version' 'The version of the program.'
end

function __usher_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l spot ''
    set -l option ''
    set -l ended ''
    set -l slot 0
    set -e typed[1]
    for word in $typed
        if test -n "$option"
            set option ''
        else if test -z "$ended" -a "x$word" = x--
            set ended 1
        else if test -z "$ended"; and string match -q -- '--*' $word
            if contains -- $word '--app' '--assume' '--at' '--collateral' '--confirm' '--db' '--decision' '--environment' '--facts' '--fields' '--from' '--head' '--limit' '--operator' '--output' '--reason' '--root' '--set' '--since' '--stop' '--suspected' '--ticket' '--timeout' '--user' '--where'
                set option $word
            end
        else if test -z "$ended"; and string match -qr -- '^-[^0-9.]' $word
            set -l letters (string split '' -- (string sub -s 2 -- $word))
            for index in (seq (count $letters))
                if contains -- $letters[$index] 'd' 'o'
                    test $index -eq (count $letters); and set option -$letters[$index]
                    break
                end
            end
        else if test -z "$spot"
            set spot $word
        else if contains -- $spot 'user' 'account' 'quota' 'settings' 'state' 'audit' 'app'
            set spot "$spot $word"
        else
            set slot (math $slot + 1)
        end
    end

    if test -n "$option"
        __usher_option_value "$spot" $option "$current"
    else if test -z "$ended"; and string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        set -l found (__usher_option_value "$spot" $parts[1] "$parts[2]")
        test (count $found) -gt 0; and printf '%s\n' $parts[1]=$found
    else if test -z "$ended"; and string match -q -- '-*' $current
        __usher_options "$spot"
    else
        __usher_words "$spot"
        __usher_argument "$spot" $slot "$current"
    end
end

complete -c usher -e
complete -c usher -f -a '(__usher_complete)'
