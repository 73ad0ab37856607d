import CommandLine
import Testing

/// The tests compare whole help pages exactly.
@Suite struct HelpTests {
    @Test(arguments: [
        (HelpRequest.program, 80, program), (.noun("user"), 80, noun), (.command(["user", "find"]), 80, command),
        (.command(["account", "delete"]), 60, narrow), (.topic("exit-codes"), 80, topic),
        (.topic("connection"), 80, connection),
    ])
    func helpPageHasTheExpectedText(request: HelpRequest, width: Int, expected: String) {
        #expect(Fixture.grammar.help(request).text(width: width) == expected)
    }

    @Test func helpOnAnUnknownWordIsThePageOfTheProgram() {
        let requests: [HelpRequest] = [.noun("x"), .command(["x"]), .command([]), .topic("x")]
        for request in requests {
            #expect(Fixture.grammar.help(request) == Fixture.grammar.help(.program))
        }
    }

    @Test(arguments: [0, 40, 60, 80, 120])
    func linesOfHelpFitTheWidth(width: Int) {
        let page = Fixture.grammar.help(.program)
        for line in page.text(width: width).split(separator: "\n") where !line.contains("usher") {
            #expect(line.count <= max(width, 40), "\(line)")
        }
    }

    static let program = #"""
        usher: Operations console for subscription apps on Postgres

        EXAMPLES
          usher user show ann@example.com
              All about one person

        USAGE
          usher <noun> <verb> [arguments] [options]
          usher <command> [arguments] [options]

        NOUNS AND THEIR VERBS
          user     The people who use the app
                   find, list, show, why
          account  All that belongs to a person
                   delete, note
          app      App definitions
                   list, show
          event    What the stores reported
                   replay

        COMMANDS
          doctor      Say what is wrong with the connection
          completion  Print a completion script
          help        Show help

        GLOBAL OPTIONS
          The help of each command lists the global options that the command accepts.

          -d, --db CONNINFO      Where to connect
              --app NAME|FILE    App definition
          -o, --output FORMAT    Output format One of table, json, ndjson, csv, tsv,
                                 name. Default: table.
              --json             Short for -o json
          -n, --dry-run          Really run, show, roll back
          -y, --yes              Answer moderate confirmations
              --reason TEXT      Why; recorded
              --timeout SECONDS  Give up after that
          -q, --quiet            Say less
          -v, --verbose          Say more May be repeated.
          -h, --help             Show help
              --version          Show the version

        TOPICS
          exit-codes   What the exit codes mean
          environment  Variables
          files        Files
          connection   How to connect

        `usher help NOUN` or `usher NOUN VERB --help` explains a command. `usher help
        TOPIC` explains a topic.

        """#

    static let noun = #"""
        usher user: The people who use the app

        USAGE
          usher user <verb> [arguments] [options]

        VERBS
          find  Find a user
          list  List users
          show  Show a user
          why   Explain every decision

        EXAMPLES
          usher user find ann
              Everybody whose address begins with ann

        `usher help user VERB` explains a verb.

        """#

    static let command = #"""
        usher user find: Find a user

        USAGE
          usher user find <TEXT> [options]

        Tries the exact id, the exact address, then a prefix, then any part.

          id  exact only

        ARGUMENTS
          TEXT  Id, address, or part of one

        OPTIONS
              --limit N  At most N rows From 1 to 1000. Default: 20.

        COMMON OPTIONS
          -d, --db CONNINFO      Where to connect
              --app NAME|FILE    App definition
          -o, --output FORMAT    Output format One of table, json, ndjson, csv, tsv,
                                 name. Default: table.
              --json             Short for -o json
          -n, --dry-run          Really run, show, roll back
          -y, --yes              Answer moderate confirmations
              --reason TEXT      Why; recorded
              --timeout SECONDS  Give up after that
          -q, --quiet            Say less
          -v, --verbose          Say more May be repeated.
          -h, --help             Show help
              --version          Show the version

        EXAMPLES
          usher user find ann
              Everybody whose address begins with ann
          usher user find ann -o name | usher user show -
              Show each of them

        Exit codes: `usher help exit-codes`.

        """#

    static let narrow = #"""
        usher account delete: Delete accounts, verified

        USAGE
          usher account delete {<USER>... | --from FILE | --due | --resume ID} [options]

        ARGUMENTS
          USER  Whose account May be repeated.

        OPTIONS
              --from FILE          Read users from a file
              --due                All that are due
              --resume ID          Go on
              --collateral CHOICE  What to do with rows that others
                                   share
                                   delete: remove them: all
                                   keep: leave what's shared
              --batch N            Rows each From 1 to 1000000.

        COMMON OPTIONS
          -d, --db CONNINFO      Where to connect
              --app NAME|FILE    App definition
          -o, --output FORMAT    Output format One of table, json,
                                 ndjson, csv, tsv, name. Default:
                                 table.
              --json             Short for -o json
          -n, --dry-run          Really run, show, roll back
          -y, --yes              Answer moderate confirmations
              --reason TEXT      Why; recorded
              --timeout SECONDS  Give up after that
          -q, --quiet            Say less
          -v, --verbose          Say more May be repeated.
          -h, --help             Show help
              --version          Show the version

        Exit codes: `usher help exit-codes`.

        """#

    static let topic = #"""
        exit-codes: What the exit codes mean

        Every command ends with one of these.

          0  done
          1  failed
          2  usage

        """#

    static let connection = #"""
        connection: How to connect

        As `psql` does:

          usher -d service=prod

        .leading dots and \backslashes 'stay'.

        """#
}
