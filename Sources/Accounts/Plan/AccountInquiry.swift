package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

extension AccountPlan {
    package static func make(
        _ request: AccountRequest, on connection: Connection, candidates: [App],
        options: InquiryOptions
    ) throws(Failure) -> AccountPlan {
        let reading = try AccountInquiry.open(request, on: connection, candidates: candidates, options: options)
        let account = try FoundAccount(of: reading.start, request, asking: reading.ask)
        try account.requireUsers(asking: reading.ask)
        return account.plan(environment: reading.environment.name, facts: reading.facts)
    }
}

extension AccountPlan {
    /// The refusals and warnings of the app file, for a role that may not delete.
    package static func remarks(
        on request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> (refusals: [FilledSentence], warnings: [FilledSentence]) {
        let reading = try AccountInquiry.open(request, on: connection, candidates: candidates, options: options)
        let answer = try reading.start.remarkQuestion.map { query throws(Failure) in try reading.ask([query])[0] }
        try reading.close()
        return try decoding(try reading.start.remarks(answer))
    }
}

/// A read-only transaction for a command about accounts, with or without an app file.
struct AccountInquiry {
    let start: AccountStart
    let environment: Environment
    let facts: Row?
    /// The transaction, for queries whose errors the caller handles.
    let transaction: ReadTransaction

    var ask: Ask { { queries throws(Failure) in try transaction.ask(queries) } }

    func close() throws(Failure) {
        try failing { () throws(PQError) in try transaction.end() }
    }

    /// The code of the failure if the app file has no `@account`.
    static let undescribed = "undescribed"

    static func open(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> AccountInquiry {
        var options = options
        options.isExact = true
        if let root = request.root { return try open(root, request.users, on: connection, options: options) }
        let inquiry: Inquiry
        do throws(Failure) {
            inquiry = try Inquiry.open(
                on: connection, candidates: candidates, options: options, for: request.users.isEmpty ? .app : .users)
        } catch {
            guard error.want == .app else { throw error }
            throw Failure(
                .usage, "no app file fits this database",
                hint: "choose the table of users with --root TABLE[.COLUMN]")
        }
        guard let account = inquiry.app.account else {
            throw Failure(
                .failed, "the app file of \(inquiry.app.name) does not describe accounts", code: Self.undescribed,
                hint: "add @account with a @root to the app file, or choose the table with --root")
        }
        let (keys, facts, absence) = try inquiry.accounts(named: request.users)
        var start = try AccountStart.find(
            try AccountRoot.Name(account.root), values: keys, account: account, of: inquiry.app, in: inquiry.transaction
        )
        start.absence = absence
        return AccountInquiry(
            start: start, environment: inquiry.environment, facts: facts, transaction: inquiry.transaction)
    }

    /// Opens the database without an app file, if `--root` names the table of the users.
    private static func open(
        _ root: AccountRoot.Name, _ values: [String], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountInquiry {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let environment = Environment(
            try failing { () throws(PQError) in try transaction.read([Environment.query], isLast: false)[0] })
        let account = Platform.account(at: root)
        let start = try AccountStart.find(root, values: values, account: account, in: transaction)
        return AccountInquiry(start: start, environment: environment, facts: nil, transaction: transaction)
    }
}

extension Inquiry {
    /// The distinct keys of the users with the typed ids or emails; for a single user, also the facts.
    ///
    /// All users must exist. But a single missing user may be a deleted account: usher then searches for leftovers,
    /// and `absence` contains the error about the missing user.
    fileprivate func accounts(
        named texts: [String]
    ) throws(Failure) -> (keys: [String], facts: Row?, absence: Failure?) {
        guard let first = texts.first else { return ([], nil, nil) }
        if texts.count == 1 {
            do throws(Failure) {
                let user = try user(named: first)
                return ([user.key], user.facts, nil)
            } catch {
                guard error.code == Failure.noUser, try mayBeKey(first) else { throw error }
                return ([first], nil, error)
            }
        }
        var keys: [String] = []
        var seen: Set<String> = []
        try users(named: texts) { text, found throws(Failure) in
            // `user(named:)` throws the error for a missing or ambiguous user.
            let key = found.count == 1 ? found[0].key : try user(named: text).key
            if seen.insert(key).inserted { keys.append(key) }
        }
        return (keys, nil, nil)
    }
}
