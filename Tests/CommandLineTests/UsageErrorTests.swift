import CommandLine
import Testing

/// Every mistake on a command line has a message and a hint.
@Suite struct UsageErrorTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        var line: String
        var message: String
        var hint: String?
        var command: String?

        var testDescription: String { line }

        init(_ line: String, _ message: String, _ hint: String?, _ command: String?) {
            self.line = line
            self.message = message
            self.hint = hint
            self.command = command
        }
    }

    @Test(arguments: unknownWords + unknownOptions + optionValues + arguments)
    func usageErrorNamesTheMistakeAndARemedy(_ mistake: Mistake) throws {
        let words = try splitWords(mistake.line)
        let error = #expect(throws: UsageError.self) { try Fixture.grammar.parse(words) }
        #expect(error?.message == mistake.message)
        #expect(error?.hint == mistake.hint)
        #expect(error?.command == mistake.command.map { $0.split(separator: " ").map(String.init) })
    }

    static let unknownWords = [
        Mistake("usr", "unknown command `usr`", "did you mean `user`?", nil),
        Mistake("usr show x", "unknown command `usr`", "did you mean `user show`?", nil),
        Mistake(
            #""o'hara@example.com""#, "unknown command `o'hara@example.com`",
            #"did you mean `user show 'o'\''hara@example.com'`?"#, nil),
        Mistake("users", "unknown command `users`", "did you mean `user`?", nil),
        Mistake("acc", "unknown command `acc`", "did you mean `account`?", nil),
        Mistake("show", "unknown command `show`", "did you mean `user show` or `app show`?", nil),
        Mistake("show user", "unknown command `show`", "did you mean `user show`?", nil),
        Mistake("shwo", "unknown command `shwo`", "did you mean `user show` or `app show`?", nil),
        Mistake("find ann", "unknown command `find`", "did you mean `user find`?", nil),
        Mistake("view ann", "unknown command `view`", "did you mean `user show` or `app show`?", nil),
        Mistake("explain ann", "unknown command `explain`", "did you mean `user why`?", nil),
        Mistake("user view ann", "`user` has no verb `view`", "did you mean `user show`?", "user"),
        Mistake("repl", "unknown command `repl`", "`usher` opens the console", nil),
        Mistake(
            "user show a | wc -l", "`|` works only in a shell", "type it in a shell: usher user show … | …",
            "user show"),
        Mistake("frobnicate", "unknown command `frobnicate`", "`usher help all` lists all commands", nil),
        Mistake("User show x", "unknown command `User`", "did you mean `user show`?", nil),
        Mistake("user", "`user` needs a verb", "`user` has: find, list, show, why", "user"),
        Mistake("account", "`account` needs a verb", "`account` has: delete, note", "account"),
        Mistake("user shwo x", "`user` has no verb `shwo`", "did you mean `user show`?", "user"),
        Mistake("user delete x", "`user` has no verb `delete`", "did you mean `account delete`?", "user"),
        Mistake("user tim", "`user` has no verb `tim`", "`user` has: find, list, show, why", "user"),
        Mistake("user frobnicate", "`user` has no verb `frobnicate`", "`user` has: find, list, show, why", "user"),
        Mistake("account li", "`account` has no verb `li`", "`account` has: delete, note", "account"),
        Mistake("-h usr", "unknown command `usr`", "did you mean `user`?", nil),
        Mistake("--help nonsense", "unknown command `nonsense`", "`usher help all` lists all commands", nil),
    ]

    static let unknownOptions = [
        Mistake("--limit 5", "`--limit` needs a command", "`--limit` belongs to `user find`, `user list`", nil),
        Mistake("--from f", "`--from` needs a command", "`--from` belongs to `user show`, `account delete`", nil),
        Mistake(
            "user show x --limit 5", "`user show` has no option `--limit`",
            "`--limit` belongs to `user find`, `user list`", "user show"),
        Mistake("user show x --form f", "unknown option `--form`", "did you mean `--from`?", "user show"),
        Mistake("user show x --frm f", "unknown option `--frm`", "did you mean `--from`?", "user show"),
        Mistake(
            "user show x --bogus", "unknown option `--bogus`", "`usher help user show` lists its options", "user show"),
        Mistake(
            "--bogus user show x", "unknown option `--bogus`", "`usher help user show` lists its options", "user show"),
        Mistake(
            "--bogus val user show x", "unknown option `--bogus`", "`usher help all` lists the global options", nil),
        Mistake("user show x -x", "unknown option `-x`", "`usher help user show` lists its options", "user show"),
        Mistake(
            "user show x -qx", "unknown option `-x` in `-qx`", "`usher help user show` lists its options", "user show"),
        Mistake("user find a -limit 5", "unknown option `-limit`", "did you mean `--limit`?", "user find"),
        Mistake(
            "-dry-run account delete x", "unknown option `-dry-run`",
            "did you mean `--dry-run`?", "account delete"),
        Mistake("-yes doctor", "unknown option `-yes`", "did you mean `--yes`?", "doctor"),
        Mistake("user show x --yse", "unknown option `--yse`", "did you mean `--yes`?", "user show"),
        Mistake("user find a --lim 5", "unknown option `--lim`", "did you mean `--limit`?", "user find"),
        Mistake("user show x --dry", "unknown option `--dry`", "did you mean `--dry-run`?", "user show"),
    ]

    static let optionValues = [
        Mistake("user find a --limit", "`--limit` needs a value", nil, "user find"),
        Mistake(
            "user find a --limit --yes", "`--limit` needs a value",
            "to use `--yes` as the value, write `--limit=--yes`", "user find"),
        Mistake(
            "user find a --limit -- 5", "`--limit` needs a value",
            "to use `--` as the value, write `--limit=--`", "user find"),
        Mistake(
            "--reason -q doctor", "`--reason` needs a value",
            "to use `-q` as the value, write `--reason=-q`", "doctor"),
        Mistake("doctor -o", "`-o` needs a value", nil, "doctor"),
        Mistake("doctor -no", "`-o` needs a value", nil, "doctor"),
        Mistake("doctor --yes=true", "`--yes` doesn't take a value, but got `true`", nil, "doctor"),
        Mistake("doctor -q=1", "`-q` doesn't take a value, but got `1`", nil, "doctor"),
        Mistake("user find a --limit 5 --limit 6", "`--limit` is given twice", nil, "user find"),
        Mistake("doctor -q --quiet", "`--quiet` is given twice, as `-q` and `--quiet`", nil, "doctor"),
        Mistake("doctor --json -o csv", "`--output` is given twice, as `--json` and `-o`", nil, "doctor"),
        Mistake("doctor -o json --json", "`--output` is given twice, as `-o` and `--json`", nil, "doctor"),
        Mistake(
            "user find a --limit x", "`--limit` must be a whole number from 1 to 1000, not `x`",
            nil, "user find"),
        Mistake(
            "user find a --limit 0", "`--limit` must be a whole number from 1 to 1000, not `0`",
            nil, "user find"),
        Mistake(
            "user find a --limit 1001", "`--limit` must be a whole number from 1 to 1000, not `1001`",
            nil, "user find"),
        Mistake(
            "user find a --limit 99999999999999999999",
            "`--limit` must be a whole number from 1 to 1000, not `99999999999999999999`",
            nil, "user find"),
        Mistake(
            "account delete u --batch 0", "`--batch` must be a whole number from 1 to 1000000, not `0`",
            nil, "account delete"),
        Mistake(
            "account note u w --source mail --offset 3", "`--offset` must be a whole number from -9 to 0, not `3`",
            nil, "account note"),
        Mistake("doctor --timeout -5", "`--timeout` must be a number of seconds, not `-5`", nil, "doctor"),
        Mistake("doctor --timeout soon", "`--timeout` must be a number of seconds, not `soon`", nil, "doctor"),
        Mistake(
            "account note u w --source mail --weight nan", "`--weight` must be a number of seconds, not `nan`",
            nil, "account note"),
        Mistake(
            "account note u w --source mail --weight 0x10", "`--weight` must be a number of seconds, not `0x10`",
            nil, "account note"),
        Mistake(
            "doctor -o jsn", "`-o` must be one of table, json, ndjson, csv, tsv, name, not `jsn`",
            "did you mean `json`?", "doctor"),
        Mistake(
            "doctor --output=xml", "`--output` must be one of table, json, ndjson, csv, tsv, name, not `xml`",
            nil, "doctor"),
        Mistake(
            "account delete u --collateral kep", "`--collateral` must be one of delete, keep, not `kep`",
            "did you mean `keep`?", "account delete"),
        Mistake("user why u --assume k", "`--assume` must be `name=value`, not `k`", nil, "user why"),
        Mistake("user why u --assume =v", "`--assume` must be `name=value`, not `=v`", nil, "user why"),
        Mistake("user why u --facts ''", "`--facts` must not be empty", nil, "user why"),
    ]

    static let arguments = [
        Mistake(
            "user show ''", "USER must not be empty",
            "usage: usher user show {<USER> | --from FILE} [options]", "user show"),
        Mistake(
            "event replay one", "ID must be a whole number, not `one`",
            "usage: usher event replay [<ID>...] [options]", "event replay"),
        Mistake("completion", "missing argument SHELL", "usage: usher completion <SHELL> [options]", "completion"),
        Mistake(
            "completion tcsh", "SHELL must be one of bash, zsh, fish, not `tcsh`",
            "did you mean `bash` or `fish`?", "completion"),
        Mistake(
            "completion fsh", "SHELL must be one of bash, zsh, fish, not `fsh`",
            "did you mean `zsh` or `fish`?", "completion"),
        Mistake(
            "user show", "missing argument USER (or `--from FILE`)",
            "usage: usher user show {<USER> | --from FILE} [options]", "user show"),
        Mistake(
            "user find a b", "unexpected argument `b`; put text with spaces in quotes",
            "for example `usher user find ann`; `usher help user find` lists all options", "user find"),
        Mistake(
            "user show a | b", "`|` works only in a shell",
            "type it in a shell: usher user show … | …", "user show"),
        Mistake(
            "user show a b", "unexpected argument `b`",
            "usage: usher user show {<USER> | --from FILE} [options]", "user show"),
        Mistake(
            "user show --from f x", "unexpected argument `x`; `--from` already provides USER",
            "usage: usher user show {<USER> | --from FILE} [options]", "user show"),
        Mistake(
            "account delete", "missing argument USER (or `--from FILE` or `--due` or `--resume ID`)",
            "usage: usher account delete {<USER>... | --from FILE | --due | --resume ID} [options]", "account delete"),
        Mistake(
            "account delete --due x", "unexpected argument `x`; `--due` already provides USER",
            "usage: usher account delete {<USER>... | --from FILE | --due | --resume ID} [options]", "account delete"),
        Mistake(
            "account note", "missing argument USER",
            "usage: usher account note <USER>... <WORDS> --source NAME [options]", "account note"),
        Mistake(
            "account note u", "missing argument WORDS",
            "usage: usher account note <USER>... <WORDS> --source NAME [options]", "account note"),
        Mistake(
            "account note u --source mail", "missing argument WORDS",
            "usage: usher account note <USER>... <WORDS> --source NAME [options]", "account note"),
        Mistake(
            "account note u w", "the command needs the option `--source NAME`",
            "usage: usher account note <USER>... <WORDS> --source NAME [options]", "account note"),
        Mistake("doctor now", "unexpected argument `now`", "usage: usher doctor [options]", "doctor"),
        Mistake("app show a b", "unexpected argument `b`", "usage: usher app show [<APP>] [options]", "app show"),
    ]
}
