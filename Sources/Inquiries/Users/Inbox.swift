internal import AppFile
package import Asking
internal import Ledger
internal import PQ

/// The problems of a user or object, and the objects that need a repair.
package struct Inbox: Sendable {
    package fileprivate(set) var items: [Item] = []
    /// The invariants that usher couldn't check, each with the reason.
    package fileprivate(set) var unavailable: [(name: String, reason: Failure)] = []

    /// A problem, and the command that repairs it, if there is one.
    package struct Item: Sendable {
        package enum Kind: String, Sendable {
            /// The rows of the user or object violate an invariant.
            case broken
            /// An object of the user needs a repair.
            case waiting
            /// A bulk change stopped before it reached the user.
            case unfinished
            /// The last change of the user was undone.
            case undone
        }

        package let kind: Kind
        /// The name of the invariant, the kind of object, or the command of the operation.
        package let name: String
        /// The sentence of the app file; nil for an operation.
        package let summary: String?
        /// The columns of the row, without columns that only identify the user.
        package let facts: [DecisionReport.Fact]
        /// The key of the object or the id of the operation; nil if the problem concerns the user.
        package let key: String?
        package var keyName: String?
        /// The words of the command that repairs the problem; nil if there is none.
        package fileprivate(set) var remedy: [String]?
    }

    /// The rows of an answer; if usher can't read them, the inbox gets the reason.
    fileprivate mutating func rows(of answer: Answer, _ name: String, hiding: Failure?) -> [Row] {
        let (rows, reason) = answer.rows(hiding: hiding)
        if let reason { unavailable.append((name, reason)) }
        return rows?.rows ?? []
    }
}

/// The queries for an inbox, and the decoding of their results.
struct InboxQuestion {
    private let app: App
    private let checks: [App.Check]
    private let awaited: [(object: App.ObjectKind, selection: App.Selection, fix: App.Action)]
    private let asksLedger: Bool

    /// The largest number of problems of one kind on the screen; `usher check` and the lists show all problems.
    private static let most = 3

    init(_ inquiry: Inquiry) {
        app = inquiry.app
        checks = app.checks.filter { check in
            switch check.subject {
            case .users: true
            case .object(let noun): inquiry.app.objects.contains { $0.noun == noun && $0.hasOwner }
            case .nothing: false
            }
        }
        awaited = app.awaited
        asksLedger = inquiry.ledger?.isReadable == true
    }

    var count: Int { checks.count + awaited.count + (asksLedger ? 1 : 0) }

    /// Checks the invariants of one object, also of an object without a user.
    static func inbox(of object: App.ObjectKind, key: String, in inquiry: Inquiry) throws(Failure) -> Inbox {
        let question = InboxQuestion(inquiry)
        let checks = inquiry.app.checks.filter { $0.subject == .object(object.noun) }
        inquiry.reopen()
        let answers = try inquiry.read(
            checks.map { check in
                inquiry.queries.violations(of: check, byObject: key, limit: 1)
            }, isLast: true)
        var inbox = Inbox()
        for (check, answer) in zip(checks, answers) {
            if let row = inbox.rows(of: answer, check.name, hiding: inquiry.hiding([check.select])).first {
                inbox.items.append(question.broken(check, row, of: nil))
            }
        }
        return inbox
    }

    func queries(for user: UserKey, in inquiry: Inquiry) -> [ComposedQuery] {
        let bindings = inquiry.bindings(for: user)
        let broken = checks.compactMap {
            app.queries(bindings).violations(of: $0, by: user, limit: Self.most)
        }
        let waiting = awaited.map { awaited in
            var filter = App.ListFilter()
            filter.selections = [awaited.selection]
            filter.user = user
            filter.limit = Self.most + 1
            filter.namesOwner = false
            return app.queries(bindings).list(of: awaited.object, filter)
        }
        return broken + waiting + (asksLedger ? [Self.operations(of: user)] : [])
    }

    /// The query for operations about a user; an earlier statement may look up the user's key.
    private static func operations(of user: UserKey) -> ComposedQuery {
        let key: String? = if case .known(let known, _) = user { known } else { nil }
        return ComposedQuery(Audit.lookUp("inbox", [key]))
    }

    func inbox(_ answers: ArraySlice<Answer>, of user: User, in inquiry: Inquiry) -> Inbox {
        var inbox = Inbox()
        var repaired: Set<[String]> = []
        var listed: [[String]: Int] = [:]
        for (check, answer) in zip(checks, answers) {
            let rows = inbox.rows(of: answer, check.name, hiding: inquiry.hiding([check.select]))
            for row in rows.prefix(Self.most) {
                let item = broken(check, row, of: user)
                if let remedy = item.remedy { repaired.insert(remedy) }
                if case .object(let noun) = check.subject, let key = item.key {
                    listed[[noun, key]] = inbox.items.count
                }
                inbox.items.append(item)
            }
        }
        for ((object, selection, fix), answer) in zip(awaited, answers.dropFirst(checks.count)) {
            let hiding = inquiry.hiding([object.select, selection.condition])
            for row in inbox.rows(of: answer, "\(object.noun) \(selection.name)", hiding: hiding).prefix(Self.most) {
                let item = waiting(object, selection, fix, row, of: user)
                // An invariant may already list the object, perhaps without a repair command.
                if let index = item.key.flatMap({ listed[[object.noun, $0]] }) {
                    if inbox.items[index].remedy == nil { inbox.items[index].remedy = item.remedy }
                } else if repaired.insert(item.remedy ?? [object.noun, item.key ?? ""]).inserted {
                    inbox.items.append(item)
                }
            }
        }
        if asksLedger, let answer = answers.last {
            let operations = inbox.rows(of: answer, Audit.source, hiding: nil)
            inbox.items += operations.compactMap(Self.operation)
        }
        return inbox
    }

    private func broken(_ check: App.Check, _ row: Row, of user: User?) -> Inbox.Item {
        let key = row.values.first?.text
        let isAboutUser = check.subject == .users
        var object: App.ObjectKind?
        if case .object(let noun) = check.subject { object = app.objects.first { $0.noun == noun } }
        let remedy = check.fix.flatMap { fix in
            (isAboutUser ? user?.label(in: app) : key).map { [fix.noun, fix.verb, $0] }
        }
        return Inbox.Item(
            kind: .broken, name: check.name, summary: check.summary,
            facts: facts(row.columns.dropFirst(), row.values.dropFirst(), of: user, in: object, keepsNothing: true),
            key: isAboutUser ? nil : key, keyName: object?.key, remedy: remedy)
    }

    private func waiting(
        _ object: App.ObjectKind, _ selection: App.Selection, _ fix: App.Action, _ row: Row, of user: User
    ) -> Inbox.Item {
        let key = row.shown(object.key)?.text
        let shown = row.columns.indices.filter { index in
            let name = row.columns[index].name
            return name != object.key && (object.columns.isEmpty || object.columns.contains(name))
        }
        return Inbox.Item(
            kind: .waiting, name: object.noun, summary: selection.sentence.source,
            facts: facts(shown.map { row.columns[$0] }[...], shown.map { row.values[$0] }[...], of: user, in: object),
            key: key, keyName: object.key,
            remedy: key.map { [fix.noun, fix.verb, $0] })
    }

    /// The columns of a row that have a value and don't just identify the user.
    ///
    /// For a violated invariant, columns without a value stay, because NULL may be the problem.
    private func facts(
        _ columns: ArraySlice<Column>, _ values: ArraySlice<Value>, of user: User?, in object: App.ObjectKind?,
        keepsNothing: Bool = false
    ) -> [DecisionReport.Fact] {
        let addresses = user?.emails(in: app) ?? []
        // A value that equals the key is left out only if its column is a key column.
        let keys = [app.users.key, object?.userColumn]
        return zip(columns, values).compactMap { column, value in
            guard let text = value.text else { return keepsNothing ? (column.name, value) : nil }
            let saysWho = addresses.contains(text) || text == user?.key && keys.contains(column.name)
            return saysWho ? nil : (column.name, value)
        }
    }

    private static func operation(_ row: Row) -> Inbox.Item? {
        guard let kind = row.shown("kind")?.text.flatMap(Inbox.Item.Kind.init), let id = row.shown("id")?.text,
            let command = row.shown("command")?.text
        else { return nil }
        let facts = ["at", "operator", "reason", "ticket"].compactMap { name in
            row.shown(name).flatMap { $0.isNull ? nil : (name, $0) }
        }
        let words = command.split(separator: " ").map(String.init)
        // To continue a bulk change, the remedy repeats its selections. If the operator named the users, the remedy
        // shows the operation instead.
        let selected = row.shown("selected")?.text?.split(separator: " ").map(String.init) ?? []
        return Inbox.Item(
            kind: kind, name: command, summary: nil, facts: facts, key: id,
            remedy: selected.isEmpty || words.count != 2
                ? ["audit", "show", id] : words + selected + ["--resume", id])
    }
}
