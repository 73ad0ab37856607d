import AppFile
import Acts
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

extension ChangeLab {
    /// Requests a change as the role of this lab.
    @discardableResult
    func ask(_ request: ChangeRequest) throws -> ChangeReport {
        let (database, role) = (database, role)
        return try database.session(user: role) { connection in
            try request.ask(
                in: Inquiry.open(on: connection, candidates: [app], options: InquiryOptions(), for: .change)
            ) { () throws(Failure) in
                do { return try database.connect(user: role) } catch { throw Failure(.connection, "\(error)") }
            }
        }
    }

    /// A request, as this role sees it.
    func filed(_ id: String?) throws -> FiledRequest {
        let id = try #require(id)
        return try database.session(user: role) { try FiledRequest.named(id, on: $0, options: InquiryOptions()) }
    }

    /// Approves a request unchanged, and returns the report.
    @discardableResult
    func approve(_ id: String?, hasMoved: Bool = false) throws -> ChangeReport {
        let session = try session(try filed(id).change(hasMoved: hasMoved))
        return try session.run(as: try session.plan())
    }

    func answer(_ id: String?, _ refusal: FiledRequest.Refusal) throws {
        let (database, role) = (database, role)
        _ = try filed(id).answer(refusal, reason: "because", ticket: nil) { () throws(Failure) in
            do { return try database.connect(user: role) } catch { throw Failure(.connection, "\(error)") }
        }
    }

    func note(_ text: String, about user: String) throws {
        let (database, role) = (database, role)
        _ = try NotesAndRequests.note(
            text, about: user, reason: nil, ticket: "T-1",
            in: Inquiry.open(on: try connect(), candidates: [app], options: InquiryOptions(), for: .change)
        ) { () throws(Failure) in
            do { return try database.connect(user: role) } catch { throw Failure(.connection, "\(error)") }
        }
    }

    /// The notes and requests of a user, or nil without an audit log.
    func notesAndRequests(_ user: String) throws -> NotesAndRequests? {
        try database.session(user: role) { connection in
            try UserQuestion(user: user, wantsEverything: true)
                .ask(on: connection, candidates: [app], options: InquiryOptions()).desk?.get()
        }
    }
}

extension FiledRequest {
    func change(hasMoved: Bool) throws -> ChangeRequest {
        guard case .change(let change) = try requestedCommand(hasMoved: hasMoved) else {
            throw Failure(.failed, "the request contains no change")
        }
        return change
    }
}

/// A support agent, two admins, and an app on users whose accounts can be deleted.
struct RequestLab {
    let support: ChangeLab
    let admin: ChangeLab
    let other: ChangeLab
    let owner: ChangeLab
    var database: TestDatabase { owner.database }

    static let blocks = """
        -- @select free  Users on the free plan.
        tier = 'free';

        -- @decision access  May they?
        -- @rule paid  They pay.
        tier = 'paid';
        -- @rule free  They do not.
        true;

        -- @action tier set  Set the tier.
        -- @option tier: free | paid
        -- @select free
        -- @expect access paid
        -- @refuse Paid already.
        tier = 'paid';
        -- @warn Glad.
        mood = 'glad';
        -- @do
        update public.people set tier = :tier, seen = :now where id = any(:users);

        -- @action score raise  One more.
        -- @role support
        -- @do
        update public.people set score = coalesce(score, 0) + 1 where id = any(:users);

        -- @action tier give  Set the tier; needs two people.
        -- @approve admin
        -- @do
        update public.people set tier = 'paid' where id = any(:users);

        -- @action word set  A secret.
        -- @arg word: secret
        -- @do
        update public.people set tier = :word where id = any(:users);

        -- @account
        -- @root public.people.id
        """

    init(environment: String = "test") throws {
        let database = try Lab.withLedger(in: environment).database
        let logins = [("desk_support", "usher_support"), ("desk_admin", "usher_admin"), ("desk_other", "usher_admin")]
        for (login, role) in logins { try database.makeRole(login, "in role \(role)") }
        try database.run("grant select on people to usher_support")
        let app = try Lab.app(Self.blocks)
        owner = try ChangeLab(database, app)
        support = ChangeLab(installed: app, on: database, role: "desk_support")
        admin = ChangeLab(installed: app, on: database, role: "desk_admin")
        other = ChangeLab(installed: app, on: database, role: "desk_other")
    }

    func deleteUser(_ key: String) throws {
        let connection = try database.connect()
        let erase: Query = """
            select usher.erase(jsonb_build_object(
                'operation', \(LedgerLab.id(9))::text, 'app', 'lab', 'target', 'one account', 'reason', 'asked',
                'keys', jsonb_build_array(\(key)::text),
                'root', jsonb_build_object('schema', 'public', 'table', 'people', 'key', 'id')))
            """
        for query in ["begin", erase, "delete from people where id::text = \(key)", "commit"] as [Query] {
            _ = try connection.execute(query)
        }
    }
}
