internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What an operator wants to know or to be done about accounts.
package struct AccountRequest: Sendable {
    /// Ids or addresses, or values of the root's column.
    package var users: [String]
    /// The table to start from where no app file says so.
    package var root: AccountRoot.Name?
    package var answers: AccountAnswers

    /// A request about some users.
    package init(users: [String], root: AccountRoot.Name? = nil, answers: AccountAnswers = AccountAnswers()) {
        self.users = users
        self.root = root
        self.answers = answers
    }
}

/// Where an account begins: the root with its values, and what the app file says about accounts.
struct AccountStart {
    private(set) var root: AccountRoot
    var account: App.Account?
    /// The app file that says who the users are, where there is one.
    var app: App?
    /// The schemas that are those of other customers.
    var apart: Graph.Apart?
    /// Why nobody is found by the one value, which may be all that is left of somebody.
    var absence: Failure?

    /// Finds the root in the catalog, and the values there that were typed, each once.
    ///
    /// Keys that an app file's own look-up told are each another one.
    static func find(
        _ root: AccountRoot.Name, values: [String], account: App.Account?, of app: App? = nil,
        in transaction: ReadTransaction
    ) throws(Failure) -> AccountStart {
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let apart = try app.flatMap { app throws(Failure) in try Tenants.apart(app, asking: ask) }
        var start = try find(root, account: account, of: app, apart: apart, asking: ask)
        let found = start.root
        let typed = values.map { TypedText($0, found.type) }
        for case .failure(let error) in try transaction.readings(of: typed) {
            guard error.isMisfit else { throw Failure(error) }
            throw Failure(AccountRefusal.noValue(table: found.table, column: found.column, error))
        }
        start.root.values = values
        if app == nil {
            // The same user named twice is one, and looked for as the database writes the key.
            let same = Query(
                unsafe:
                    "select distinct v::\(found.type)::pg_catalog.text, min(place) from pg_catalog.unnest($1::text[]) with ordinality as n (v, place) group by 1 order by 2",
                [arrayLiteral(values)])
            let answer = try ask([same])[0]
            start.root.values = try decoding(try answer.texts())
        }
        return start
    }

    /// Names users by the values that they are.
    mutating func name(_ users: [String]) { root.values = users }

    /// Finds the root in the catalog.
    static func find(
        _ root: AccountRoot.Name, account: App.Account?, of app: App? = nil, apart: Graph.Apart? = nil, asking ask: Ask
    ) throws(Failure) -> AccountStart {
        AccountStart(root: try AccountRoot.find(root, asking: ask), account: account, app: app, apart: apart)
    }
}

// MARK: What an app file says before

extension AccountStart {
    /// Asks what of the remarks of an app file holds of the users; nil where it makes none.
    var remarkQuestion: Query? {
        guard let app, let account = app.account, !root.values.isEmpty else { return nil }
        let remarks = account.refusals + account.warnings
        if remarks.isEmpty { return nil }
        let query = app.held(
            remarks, keys: .keys(root.values, type: root.type),
            now: AppFile.Binding(expression: "pg_catalog.now()", type: "timestamptz"))
        return Query(query)
    }

    /// Why the accounts do not go, and what to know before, by the answer where there was a question.
    func remarks(
        _ answer: Rows?
    ) throws(DecodingFailure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        var (refusals, warnings): ([FilledSentence], [FilledSentence]) = ([], [])
        guard let answer, let account = app?.account else { return ([], []) }
        let remarks = account.refusals + account.warnings
        for row in answer.rows {
            for number in try row.texts("held").compactMap({ Int($0) }) {
                let sentence = FilledSentence(remarks[number].sentence) { row.shown($0) }
                if number < account.refusals.count { refusals.append(sentence) } else { warnings.append(sentence) }
            }
        }
        return (refusals, warnings)
    }
}
