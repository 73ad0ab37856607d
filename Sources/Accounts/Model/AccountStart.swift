internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

package struct AccountRequest: Sendable {
    /// The ids or emails of the users; with `--root`, values of that column.
    package var users: [String]
    /// The table of users if there is no app file.
    package var root: AccountRoot.Name?
    package var answers: AccountAnswers

    package init(users: [String], root: AccountRoot.Name? = nil, answers: AccountAnswers = AccountAnswers()) {
        self.users = users
        self.root = root
        self.answers = answers
    }
}

/// The start of every command about accounts: the root with its values, and the app file.
struct AccountStart {
    let root: AccountRoot
    var account: App.Account?
    var app: App?
    var apart: Graph.Apart?
    /// The reason why no user has the typed value; the value may be the key of a deleted user.
    var absence: Failure?

    /// Finds the root in the catalog, and checks and deduplicates the typed values.
    ///
    /// Keys found with an app file are already distinct.
    static func find(
        _ root: AccountRoot.Name, values: [String], account: App.Account?, of app: App? = nil,
        in transaction: ReadTransaction
    ) throws(Failure) -> AccountStart {
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let apart = try app.flatMap { app throws(Failure) in try Tenants.apart(app, asking: ask) }
        var found = try AccountRoot.find(root, asking: ask)
        let typed = values.map { TypedText($0, found.type) }
        for case .failure(let error) in try transaction.readings(of: typed) {
            guard error.isMisfit else { throw Failure(error) }
            throw Failure(
                .usage, "the column \(pasted(found.table, found.column)) can't contain this value: \(error.message)",
                hint: "choose another column with --root \(pasted(found.table)).COLUMN", state: error.state)
        }
        found.values = values
        if app == nil {
            // An operator may type a user twice, in two forms; the database prints each key in only one form.
            let same = Query(
                unsafe:
                    "select distinct v::\(found.type)::pg_catalog.text, min(place) from pg_catalog.unnest($1::text[]) with ordinality as n (v, place) group by 1 order by 2",
                [arrayLiteral(values)])
            let answer = try ask([same])[0]
            found.values = try decoding(try answer.texts())
        }
        return AccountStart(root: found, account: account, app: app, apart: apart)
    }

    /// The start of a command about all accounts.
    static func find(_ root: AccountRoot.Name, account: App.Account?, asking ask: Ask) throws(Failure) -> AccountStart {
        AccountStart(root: try AccountRoot.find(root, asking: ask), account: account)
    }
}

extension AccountStart {
    /// The query for `@refuse` and `@warn` lines that apply to the users; nil without a need for one.
    var remarkQuestion: Query? {
        guard let app, let account = app.account, !root.values.isEmpty else { return nil }
        let remarks = account.refusals + account.warnings
        if remarks.isEmpty { return nil }
        let query = app.held(
            remarks, keys: .keys(root.values, type: root.type),
            now: AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz"))
        return Query(query)
    }

    func remarks(
        _ answer: Rows?
    ) throws(DecodingFailure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        var (refusals, warnings): ([FilledSentence], [FilledSentence]) = ([], [])
        guard let answer, let account = app?.account else { return ([], []) }
        let remarks = account.refusals + account.warnings
        var known: Set<FilledSentence> = []
        for row in answer.rows {
            for number in try row.texts("held").compactMap({ Int($0) }) {
                let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }
                // A sentence that applies to several users appears only once.
                guard known.insert(sentence).inserted else { continue }
                if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
            }
        }
        return (refusals, warnings)
    }
}
