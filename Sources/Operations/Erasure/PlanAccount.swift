package import AppFile
internal import Catalog
package import PQ

extension AccountPlan {
    /// Plans without writing anything.
    package static func make(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> AccountPlan {
        let reading = try AccountReading.open(request, on: connection, candidates: candidates, options: options)
        let survey = try AccountSurvey.make(of: reading.start, collateral: request.collateral, asking: reading.ask)
        try survey.requireUsers()
        return survey.plan(environment: reading.environment.name, facts: reading.facts)
    }
}

extension AccountSurvey {
    /// Refuses users who do not exist.
    func requireUsers() throws(Failure) {
        guard (closure.found[map.root.oid]?.rows ?? 0) == 0 else { return }
        let names = map.root.values.joined(separator: ", ")
        throw Failure(
            .notFound, "\(map.root.table) has no \(map.root.column) \(names)",
            hint: "with --root TABLE.COLUMN a user is named by the value of the column, exactly")
    }
}

/// A reading transaction in which accounts are looked at, with an app file or without.
struct AccountReading {
    let start: AccountStart
    let environment: Environment
    let facts: Row?
    let ask: Ask

    static func open(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> AccountReading {
        if let root = request.root { return try open(root, request.users, on: connection, options: options) }
        guard let first = request.users.first else { throw Failure(.usage, "no user is named") }
        let (inquiry, user, _) = try Inquiry.open(
            for: first, on: connection, candidates: candidates, options: options)
        guard let account = inquiry.app.account else {
            throw Failure(
                .failed, "the app file of \(inquiry.app.name) does not say what an account is made of",
                hint: "add @account with a @root, or name the table with --root")
        }
        var users = [user]
        for text in request.users.dropFirst() { users.append(try inquiry.user(named: text)) }
        let ask: Ask = { queries throws(Failure) in try inquiry.ask(queries) }
        var keys: [String] = []
        for user in users where !keys.contains(user.key) { keys.append(user.key) }
        let start = try AccountStart.find(try RootName(account.root), values: keys, account: account, asking: ask)
        return AccountReading(
            start: start, environment: inquiry.environment, facts: users.count == 1 ? user.facts : nil, ask: ask)
    }

    private static func open(
        _ root: RootName, _ values: [String], on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountReading {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let ask: Ask = { queries throws(Failure) in
            do throws(PQError) {
                return try transaction.read(queries, isLast: false).map { result throws(PQError) in
                    switch result {
                    case .success(let rows): return rows
                    case .failure(let error): throw .server(error)
                    }
                }
            } catch {
                throw Failure(error)
            }
        }
        let environment: Environment
        do throws(PQError) {
            environment = Environment(try transaction.read([Environment.query], isLast: false)[0])
        } catch {
            throw Failure(error)
        }
        let account = try AppLibrary.account(ofPlatformAt: root)
        let start = try AccountStart.find(root, values: values, account: account, asking: ask)
        return AccountReading(start: start, environment: environment, facts: nil, ask: ask)
    }
}
