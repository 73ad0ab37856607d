package import Accounts
import Asking
import Glibc
import PQ

extension AccountRefusal: Worded {
    package func words(_ wording: Wording) -> Words {
        switch self {
        case .noRootName(let text):
            Words("\(text) names no table", hint: "write --root TABLE or --root SCHEMA.TABLE.COLUMN")
        case .noTable(let text, let near):
            Words("there is no table \(text)", hint: near.map { "did you mean --root \(Self.typed($0))?" })
        case .severalTables(let text, let tables):
            Words("\(text) is a table of several schemas", hint: "name one with its schema", details: tables)
        case .noColumn(let table, let column): Words("\(pasted(table)) has no column \(column)")
        case .notUnique(let table, let column, let others):
            Words(
                column.map { "\(pasted(table, $0)) does not identify a row: it is not unique" }
                    ?? "\(pasted(table)) has no primary key of one column",
                hint: others.isEmpty ? nil : "a column that does: \(others.joined(separator: ", "))")
        case .otherTable(let table):
            Words("\(pasted(table)) is another table than it was", hint: "run the command again")
        case .spread(let tables):
            Words(
                "Citus keeps the partitions of \(Self.some(tables)) on other servers, where an account cannot be followed",
                hint: "accounts that have rows in them have to be planned and deleted by statements of your own")
        case .noGuess:
            Words("no app file fits this database", hint: "name the table of users with --root TABLE[.COLUMN]")
        case .undescribed(let app):
            Words(
                "the app file of \(app) does not say what an account is made of",
                hint: "add @account with a @root, or name the table with --root")
        case .nobody: Words("no user is named")
        case .noUsers(let table, let column, let values):
            Words(
                "\(pasted(table)) has no \(column) \(values.joined(separator: ", "))",
                hint: "with --root TABLE.COLUMN a user is named by the value of the column, exactly")
        case .noValue(let table, let column, let error):
            Words(
                "\(pasted(table, column)) has no such value: \(error.message)",
                hint: "--root \(pasted(table)).COLUMN names users by another column")
        case .nothingToFind: Words("there is nothing to search for", hint: "write an id or an email")
        case .circularWay(let column, let table):
            Words(
                "the line `via \(column)` keeps rows of \(pasted(table)) because other rows of it go, and so it is not "
                    + "clear which go first",
                hint: "write the line with `where` instead of `via \(column)`")
        case .neverSettled(let table):
            Words(
                "the lines of the app file keep rows of \(pasted(table)) because other rows go, and the other way round",
                hint: "write @keep or @set of \(pasted(table)) with a `where` that names the rows")
        case .unreadable(let tables, let isDeletion):
            Words(
                "this needs the whole account, and this role can't read \(tables.count.of("table")) of it",
                hint: (isDeletion
                    ? "only the role usher_eraser can do it; request it with `account delete --request`. "
                    : "only the role usher_eraser can run it; --request is not possible here. ")
                    + "`usher roles sql` grants that role what an app file speaks of; without one: grant "
                    + "\(isDeletion ? "select, update, delete" : "select") on \(pasted(tables)) to it")
        case .hidden(let tables):
            Words(
                "row security may hide rows of \(pasted(tables)) from this role",
                hint: "connect as a role with BYPASSRLS, or as the owner of the tables")
        case .noAnswerForColumns(let text):
            Words(
                "--undeclared \(text): the answer is delete, detach or keep",
                hint: "write --undeclared delete, or --undeclared SCHEMA.TABLE.COLUMN=delete for one column")
        case .noColumnToAnswer(let text):
            Words(
                "--undeclared \(text) names no column",
                hint: "write it with its schema and table, as `usher account plan` does")
        case .notUndeclared(let text):
            Words(
                "--undeclared \(text): no undeclared column of this name may hold a key or an email",
                hint: "`usher account plan` lists them; write names with capital letters in double quotes"
            )
        case .noAnswer(let text, let known):
            Words("\(text) is no answer", hint: "write COLUMN=EFFECT, with \(known.joined(separator: ", "))")
        case .answersNothing(let column):
            Words(
                "there is no column \(pasted(column)) that could hold a key or an email",
                hint: "write the capital letters that are meant in double quotes")
        case .file(let path, let deed, let code):
            Words(
                "\(path) cannot be \(deed): \(unsafe String(cString: strerror(code)))",
                hint: code == EEXIST ? "name a file that does not exist" : nil)
        case .noPlainFile(let path): Words("\(path) is no file that lines can be added to")
        }
    }

    /// As the shell hands it over.
    private static func typed(_ path: String) -> String { path.contains("\"") ? "'\(path)'" : path }

    private static func some(_ tables: [String]) -> String {
        tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? " and \(tables.count - 3) more" : "")
    }
}
