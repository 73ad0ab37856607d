import AppFile
import Asking
import Changes
import Inquiries
import PQ
import Support
import Testing

/// Runs and undoes the actions, states and settings of every shipped app on its sample data, and compares all tables.
///
/// Without `USHER_DEEP` only every third app, action and state.
@Suite struct AppActionTests {
    @Test(arguments: sample(AppLibrary.names)) func undoRestoresTheDatabaseAfterEveryChangeOfAnApp(name: String) throws
    {
        let bench = try ChangeBench(name)
        for action in sample(bench.app.actions) { try bench.hold(action) }
        for settings in bench.app.settings { try bench.hold(settings) }
        for state in sample(bench.app.states) { try bench.hold(state) }
        #expect(try bench.lab.isIntact())
    }

    /// Every type of event, for a user in each test state and for users of the sample data.
    @Test(.long, arguments: StoreEvents.all) func undoRestoresTheDatabaseAfterEveryStoreEvent(events: StoreEvents)
        throws
    {
        let bench = try ChangeBench(events.app)
        let lab = bench.lab
        let connection = try lab.database.connect()
        let user = try #require(try lab.value(events.user))
        let starts =
            bench.app.states.map { (title: $0.name, user: user, state: Optional($0.name)) }
            + (try lab.rows(events.users)).map { (title: $0[1] ?? "", user: $0[0] ?? "", state: nil) }
        let types = try lab.rows(events.types).compactMap { $0[0] }
        var succeeded: Set<String> = []
        for (number, start) in starts.enumerated() {
            if let state = start.state {
                var request = ChangeRequest(.state(state))
                request.subjects = [start.user]
                try lab.run(request)
            }
            for type in types {
                _ = try connection.execute(
                    Query(unsafe: events.sending, ["\(type) \(number)", type, start.user]))
            }
            var before = try bench.digests.current()
            for type in types {
                var request = ChangeRequest(.action(noun: "event", verb: "replay"))
                request.subjects = ["\(type) \(number)"]
                let title = "\(events.app): \(type) for \(start.title)"
                if try bench.undo(request, from: &before, title) { succeeded.insert(type) }
            }
        }
        #expect(Set(try lab.rows(events.processed).compactMap { $0[0] }).isSubset(of: succeeded))
        #expect(try lab.isIntact())
    }
}

/// The webhook events of an app's store.
struct StoreEvents: Sendable, CustomTestStringConvertible {
    let app: String
    /// Queries for one user who gets each test state, and for different users of the sample data.
    let user: String
    let users: String
    /// All types of events, and the types that the sample data can process.
    let types: String
    let processed: String
    /// The statement that inserts an event: its id, its type and the user.
    let sending: String

    var testDescription: String { app }

    static let all = [
        StoreEvents(
            app: "impulse",
            user: "select id from public.profiles where subscription_tier = 'trial' order by id limit 1",
            users: """
                select distinct on (2) p.id, concat_ws(' ', p.subscription_tier, p.subscription_status, s.status, s.auto_renew_enabled)
                  from public.profiles p left join public.iap_subscriptions s on s.user_id = p.id order by 2, 1
                """,
            types: """
                select distinct m[1] from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '''([A-Z_]+)''', 'g') m
                 where c.conrelid = 'public.iap_webhook_events'::regclass and c.conname ~ 'event_type' order by 1
                """,
            processed: "select distinct event_type from public.iap_webhook_events where processed_at is not null",
            sending: """
                insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at)
                select $1, $2, 'production', p.id, jsonb_build_object(
                           'at', now(), 'platform', 'ios',
                           'product_id', (select c.product_id from public.subscription_config c where c.product_id is not null order by 1 limit 1),
                           'original_transaction_id', coalesce(s.original_transaction_id, 'tried-' || p.id), 'transaction_id', 'of ' || $1,
                           'expires_date', now() + interval '29 days'), now()
                  from public.profiles p left join public.iap_subscriptions s on s.user_id = p.id where p.id = $3::uuid limit 1
                """),
        StoreEvents(
            app: "xtablo", user: "select id from public.profiles order by id limit 1",
            users: """
                select distinct on (2) p.id, concat_ws(' ', s.status, s.plan, s.environment, c.user_id is not null)
                  from public.profiles p
                  left join public.apple_subscriptions s on s.owner_user_id = p.id
                  left join public.apple_customers c on c.user_id = p.id order by 2, 1
                """,
            types: "select distinct event_type from public.apple_subscription_events order by 1",
            processed:
                "select distinct event_type from public.apple_subscription_events where processed_at is not null",
            sending: """
                insert into public.apple_subscription_events (event_id, event_type, environment, payload)
                select $1, $2, coalesce(s.environment, 'production'), jsonb_build_object('event', jsonb_build_object(
                           'id', $1::text, 'type', $2::text, 'store', 'APP_STORE', 'period_type', 'NORMAL',
                           'app_user_id', coalesce(c.revenuecat_app_user_id, p.id::text),
                           'product_id', coalesce(s.store_product_id, 'annual_ios'),
                           'original_transaction_id', coalesce(s.original_transaction_id, 'tried-' || p.id), 'transaction_id', 'of ' || $1,
                           'event_timestamp_ms', floor(extract(epoch from now()) * 1000),
                           'purchased_at_ms', floor(extract(epoch from now()) * 1000),
                           'expiration_at_ms', floor(extract(epoch from now()) * 1000) + 2000000000))
                  from public.profiles p
                  left join public.apple_subscriptions s on s.owner_user_id = p.id
                  left join public.apple_customers c on c.user_id = p.id where p.id = $3::uuid limit 1
                """),
    ]
}

/// An app on its sample data, whose changes are run and undone.
struct ChangeBench {
    let lab: ChangeLab
    let digests: TableDigests
    private let connection: Connection

    var app: App { lab.app }

    init(_ name: String) throws {
        lab = try ChangeLab(sample: name)
        digests = try TableDigests(lab.database)
        connection = try lab.connect()
    }

    /// The number of users in one change.
    ///
    /// If the change is refused, the test tries these users one by one.
    private static let most = 20
    private static let alone = 20
    /// The number of combinations of arguments to run; if these are refused, the test tries the other combinations.
    private static let mostChoices = isDeep ? 3 : 1

    /// Runs and undoes an action on many users or objects at once.
    ///
    /// With `USHER_DEEP`, the action also runs with other arguments and on one user or object.
    func hold(_ action: App.Action) throws {
        let title = "\(app.name): \(action.noun) \(action.verb)"
        var refusals: Set<String> = []
        if try hold(action, title, &refusals) { return }
        // Some actions need a user in a test state.
        let user = try #require(try subjects(of: .users).first)
        for state in app.states {
            var request = ChangeRequest(.state(state.name))
            request.subjects = [user]
            guard (try? lab.run(request)) != nil else { continue }
            if try hold(action, title, &refusals) { return }
        }
        Issue.record("\(title) was refused for every user: \(refusals.sorted().joined(separator: "; "))")
    }

    private func hold(_ action: App.Action, _ title: String, _ refusals: inout Set<String>) throws -> Bool {
        let subjects = try subjects(of: action.subject)
        var held = 0
        for values in try choices(action.parameters) where held < Self.mostChoices {
            var request = ChangeRequest(.action(noun: action.noun, verb: action.verb))
            request.values = values
            guard let some = try some(subjects, of: request, isOfNothing: action.subject == .nothing, &refusals)
            else { continue }
            let titled = values.isEmpty ? title : "\(title) \(values)"
            request.subjects = some
            if held == 0 { try hold(request, titled, isFinal: action.isFinal) }
            if isDeep, held > 0 || some.count > 1, !action.isFinal {
                request.subjects = held == 0 ? Array(some.prefix(1)) : some
                _ = try undo(request, titled)
            }
            held += 1
        }
        return held > 0
    }

    /// Users or objects that the change accepts, as many as possible at once, or nil.
    private func some(
        _ subjects: [String], of request: ChangeRequest, isOfNothing: Bool, _ refusals: inout Set<String>
    ) throws -> [String]? {
        var request = request
        if isOfNothing { return try plan(request, &refusals).map { _ in [] } }
        for start in stride(from: 0, to: subjects.count, by: Self.most) {
            request.subjects = Array(subjects[start..<min(start + Self.most, subjects.count)])
            if let plan = try plan(request, &refusals) { return plan.subjects.map(\.key) }
        }
        for subject in subjects.prefix(Self.alone) {
            request.subjects = [subject]
            if let plan = try plan(request, &refusals) { return plan.subjects.map(\.key) }
        }
        return nil
    }

    /// Changes each column of a table of settings, and undoes the change; without `USHER_DEEP` only in one row.
    func hold(_ settings: App.Settings) throws {
        let keys = try lab.rows("select \(settings.key)::text from \(settings.path) order by 1").compactMap { $0[0] }
        for column in settings.columns {
            for key in isDeep ? keys : Array(keys.suffix(1)) {
                let now = try lab.value(
                    "select \(column.name)::text from \(settings.path) where \(settings.key)::text = '\(key)'")
                let value = try #require(try values(for: column).first { $0 != now })
                let setting = ChangeRequest(.setting(table: settings.name, key: key, column: column.name, value: value))
                #expect(try undo(setting, "\(app.name): \(settings.name) \(column.name) of \(key)"))
            }
        }
    }

    /// Forces a state on some users, each after the previous forced state, and undoes it.
    func hold(_ state: App.State) throws {
        let title = "\(app.name): state \(state.name)"
        var request = ChangeRequest(.state(state.name))
        var held = 0
        var refusals: Set<String> = []
        for user in try subjects(of: .users).prefix(20) where held < Self.mostChoices {
            request.subjects = [user]
            guard let plan = try plan(request, &refusals) else { continue }
            for expectation in state.expects {
                let answers = plan.decisions.filter { $0.name == expectation.decision }
                #expect(!answers.isEmpty, "\(title)")
                #expect(answers.allSatisfy { expectation.outcomes.contains($0.after ?? "") }, "\(title)")
            }
            if held == 0 { try hold(request, title, isFinal: false) } else { _ = try undo(request, title) }
            try lab.run(request, on: connection)
            held += 1
        }
        #expect(held > 0, "\(title) was refused for every user: \(refusals.sorted().joined(separator: "; "))")
    }

    /// Runs and undoes a change; returns false if the change is refused.
    private func undo(_ request: ChangeRequest, _ title: String) throws -> Bool {
        var state = try digests.current()
        return try undo(request, from: &state, title)
    }

    /// Runs and undoes a change, and updates the digests of all tables in `state`.
    func undo(_ request: ChangeRequest, from state: inout [String: String], _ title: String) throws -> Bool {
        let report: ChangeReport
        do { report = try lab.run(request, on: connection) } catch let refusal as Failure where refusal.kind == .refused
        {
            return false
        }
        // A change without effect records no operation.
        guard let operation = report.operation else { return true }
        if try refuses(report, .delete, operation, title) {
            state = try digests.current()
            return true
        }
        let before = state
        try reporting(title, from: before) { state = try expectSame(before, but: [try undo(operation)], title) }
        return true
    }

    private func undo(_ operation: String?) throws -> ChangeReport {
        try lab.run(ChangeRequest(.undo(operation: try #require(operation))), on: connection)
    }

    /// Runs a change and compares it with its dry run.
    ///
    /// The function then undoes the change. With `USHER_DEEP`, it also undoes the undo, and undoes the change again.
    private func hold(_ request: ChangeRequest, _ title: String, isFinal: Bool) throws {
        let before = try digests.current()
        let operations = try lab.operations()
        let plan = try lab.plan(request, on: connection)
        #expect(
            try digests.current() == before && lab.operations() == operations, "\(title): a dry run changes nothing")
        let report = try lab.run(request, on: connection)
        #expect(report.shape == plan.shape && report.decisions == plan.decisions, "\(title)")
        let operation = try #require(report.operation, "\(title)")
        let after = try digests.current()
        #expect(after != before, "\(title)")
        if isFinal {
            #expect(try failure { try lab.undo(operation) }.code == "final", "\(title)")
            return
        }
        if try refuses(report, .delete, operation, title) { return }
        try reporting(title, from: before) {
            let undone = try undo(operation)
            try expectSame(before, but: [undone], "\(title): undone")
            if try !isDeep || refuses(report, .insert, undone.operation, title) { return }
            let again = try undo(undone.operation)
            try expectSame(after, but: [undone, again], "\(title): undone and done again")
            let last = try undo(again.operation)
            try expectSame(before, but: [undone, again, last], "\(title): undone for good")
        }
    }

    /// Runs an undo and records an issue if usher refuses the undo, unless only a trigger had written rows.
    private func reporting(_ title: String, from before: [String: String], _ body: () throws -> Void) throws {
        do { try body() } catch let error as Failure where error.code == "irreversible" {
            let now = try digests.current()
            let changed = Set(now.keys).filter { now[$0] != before[$0] }
            #expect(changed.allSatisfy { error.message.contains($0.split(separator: ".")[2]) }, "\(title): \(changed)")
        } catch let error as Failure {
            Issue.record("\(title): \(error.message) \(error.details)")
        }
    }

    /// Returns true if usher refuses the undo.
    ///
    /// usher must refuse an undo that would insert a row with a secret, because it never records secrets.
    private func refuses(
        _ report: ChangeReport, _ kind: RowChange.Kind, _ operation: String?, _ title: String
    ) throws -> Bool {
        let tables = Set(report.changes.filter { $0.kind == kind }.map(\.table))
        let secrets = (app.account?.secrets ?? []).map { $0.column.split(separator: ".").map(String.init) }
        guard secrets.contains(where: { $0.count == 3 && tables.contains("\($0[0]).\($0[1])") }) else { return false }
        #expect(try failure { try lab.undo(operation) }.code == "secret", "\(title)")
        return true
    }

    /// Compares every table, without the columns that the undo reported as overwritten by a trigger.
    @discardableResult
    private func expectSame(
        _ expected: [String: String], but undos: [ChangeReport], _ title: String
    ) throws -> [String: String] {
        var overwritten: Set<String> = []
        for warning in undos.flatMap(\.warnings).map(\.sentence.plain) {
            guard let match = warning.wholeMatch(of: #/a trigger overwrites (.+) of (\S+), so .+/#) else { continue }
            overwritten.formUnion(match.1.split(separator: ", ").map { "\(match.2).\($0)" })
        }
        let found = try digests.current()
        let others = Set(found.keys).union(expected.keys).subtracting(overwritten).filter { found[$0] != expected[$0] }
        #expect(others.isEmpty, "\(title): \(others.sorted())")
        return found
    }

    // MARK: Dry runs

    /// The preview of a change, or nil if the change is refused or has no effect.
    private func plan(_ request: ChangeRequest, _ refusals: inout Set<String>) throws -> ChangeReport? {
        do {
            let plan = try lab.plan(request, on: connection)
            if plan.changes.isEmpty { refusals.insert("nothing to change") }
            return plan.changes.isEmpty ? nil : plan
        } catch let refusal as Failure where [.refused, .failed, .notFound].contains(refusal.kind) {
            refusals.insert(refusal.message)
            return nil
        }
    }

    private func subjects(of subject: App.Subject) throws -> [String] {
        let list: Listing
        let key: String
        switch subject {
        case .nothing: return []
        case .users:
            list = try Listing.users(
                ListOptions(), in: Inquiry.open(on: try lab.connect(), candidates: [app], options: InquiryOptions()))
            key = app.users.key
        case .object(let noun):
            list = try Listing.objects(
                noun, ListOptions(),
                in: Inquiry.open(on: try lab.connect(), candidates: [app], options: InquiryOptions(), for: .users))
            key = app.objects.first { $0.noun == noun }?.key ?? ""
        }
        var keys: [String] = []
        _ = try list.stream { row in if let text = row.copy().shown(key)?.text { keys.append(text) } }
        return keys
    }

    /// Combinations of arguments: the required arguments, then one more option at a time.
    private func choices(_ parameters: App.Parameters) throws -> [[String: String]] {
        var choices: [[String: String]] = [[:]]
        for parameter in parameters.all
        where parameter.isSecret || !parameter.isOptional && parameter.defaultValue == nil {
            let values = try self.values(for: parameter)
            choices = choices.flatMap { choice in values.map { choice.merging([parameter.name: $0]) { $1 } } }
        }
        let optional = try parameters.all.filter { $0.isOptional && !$0.isSecret }.flatMap { parameter in
            try values(for: parameter).flatMap { value in
                choices.map { $0.merging([parameter.name: value]) { $1 } }
            }
        }
        return choices + optional
    }

    /// Some values of the declared type, or all values of an enum.
    private func values(for parameter: ParameterDeclaration) throws -> [String] {
        if !parameter.choices.isEmpty { return parameter.choices }
        if parameter.isSecret { return ["OPEN-SESAME-2026", "another code"] }
        if let subject = parameter.names { return Array(try subjects(of: subject).prefix(40)) }
        let labels = try lab.rows(
            "select enumlabel from pg_enum where enumtypid = to_regtype('\(parameter.type)') order by enumsortorder")
        if !labels.isEmpty { return labels.compactMap { $0[0] } }
        switch parameter.type {
        case "timestamptz": return ["2037-01-01 00:00:00+00"]
        case "text": return ["something new"]
        case "interval": return ["3 days"]
        case "uuid": return []
        default: return ["7", "8"]
        }
    }
}
