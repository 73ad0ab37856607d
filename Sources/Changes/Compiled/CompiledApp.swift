package import AppFile
package import Asking
internal import Catalog
package import Inquiries
package import PQ

/// An app file compiled for one database, with the actions that the owner of the schema `usher` can run.
package struct CompiledApp: Sendable {
    package let name: String
    package let digest: String
    /// The queries that all actions share; nil if usher can't read the users, so no action can be installed.
    package private(set) var surroundings: ActSurroundings?
    package private(set) var acts: [Act] = []
    /// The actions and blocks that can't be installed, with the reasons.
    package private(set) var obstacles: [Obstacle] = []
    /// The session settings that functions read; operators can't set them.
    package private(set) var settings = ReadSettings()

    /// An action or block that can't be installed.
    package struct Obstacle: Sendable, Hashable {
        package enum Subject: Sendable, Hashable {
            /// The query of the users, which every action needs.
            case users
            case act(Act.Kind, String)
            /// A decision, which only actions with @expect need.
            case decision(String)

            fileprivate var name: String {
                switch self {
                case .users: "reading users"
                case .act(.action, let name): name
                case .act(.state, let name): "state \(name)"
                case .act(.setting, let name): "settings \(name)"
                case .decision(let name): "decision \(name)"
                }
            }

            fileprivate var isAct: Bool { if case .act = self { true } else { false } }

            fileprivate var isMissing: String {
                self == .users
                    ? "usher can't read the users, and every action needs them"
                    : "the action needs the \(name), which can't be installed"
            }
        }

        package let subject: Subject
        /// The reason why the action or block can't be installed, as a sentence.
        package let sentence: String

        package init(_ subject: Subject, _ sentence: String) { (self.subject, self.sentence) = (subject, sentence) }

        package var name: String { subject.name }
    }

    /// The sentence about the number of installed actions.
    package var extent: String {
        let left = Set(obstacles.map(\.subject).filter(\.isAct)).count
        let file = " of the file \(shortDigest)"
        if left == 0 { return "\(name), \(acts.count.of("action"))\(file)" }
        return "\(name), \(acts.isEmpty ? "none" : "\(acts.count)") of \((acts.count + left).of("action"))\(file)"
    }

    /// The actions and blocks that can't be installed, one line per reason.
    package var hindrances: [String] {
        var names: [String: [String]] = [:]
        var order: [String] = []
        for obstacle in obstacles {
            if names[obstacle.sentence] == nil { order.append(obstacle.sentence) }
            names[obstacle.sentence, default: []].append(obstacle.name)
        }
        return order.map { "\(names[$0, default: []].joined(separator: ", ")): \($0)" }
    }

    /// The first characters of the digest, as people compare them.
    package var shortDigest: String { String(digest.prefix(12)) }

    /// Compiles an app for a database and the role that will run its actions.
    ///
    /// Writes nothing and runs no statement of the app.
    package static func compile(
        _ app: App, on connection: Connection, as owner: String, options: InquiryOptions
    ) throws(Failure) -> CompiledApp {
        defer { try? connection.rollbackIfOpen() }
        return try failing { () throws(PQError) in
            let reader = try NeedReader(on: connection, timeout: options.timeout, as: owner)
            return try CompiledApp(app, reader, owner: owner)
        }
    }

    /// Compiles an app for the role that owns the schema `usher`, or that will own it.
    package static func compile(
        _ app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> CompiledApp {
        let facts = try failing(try connection.execute(Query(file: "catalog/install.sql")))
        return try compile(app, on: connection, as: try failing(try facts.only().text("owner")), options: options)
    }

    /// Compiles an app without the actions in which `app check` finds a mistake.
    package static func checked(
        _ app: App, on connection: Connection, as owner: String? = nil, options: InquiryOptions
    ) throws(Failure) -> CompiledApp {
        var compiled =
            if let owner {
                try compile(app, on: connection, as: owner, options: options)
            } else {
                try compile(app, on: connection, options: options)
            }
        let mistakes = try AppCheck.findings(in: app, on: connection, options: options).filter {
            $0.severity == .error
        }
        for mistake in mistakes {
            for subject in all(app, at: mistake.place) {
                guard compiled.acts.contains(where: { .act($0.kind, $0.name) == subject }) else { continue }
                compiled.obstacles.append(Obstacle(subject, mistake.message))
            }
        }
        compiled.dropObstructed()
        return compiled
    }

    private init(_ app: App, _ reader: NeedReader, owner: String) throws(PQError) {
        name = app.name
        digest = app.digest
        let described = try reader.describe(app.probes.directory.map(\.query.sql))
        let types = try app.keyTypes(described, names: reader.typeNames)
        guard let keyType = types[.users] else {
            let reason =
                described[0].complaint ?? "the select of @users has no column \(app.users.key), which is its @key"
            obstacles = [Obstacle(.users, reason)]
            obstacles += Self.all(app).map { Obstacle($0, Obstacle.Subject.users.isMissing) }
            return
        }
        var facts = [App.Subject.users: described[0].facts]
        for (object, described) in zip(app.objects, described.dropFirst()) {
            facts[.object(object.noun)] = described.facts
        }
        var impacts: [String: [[App.Fact]]] = [:]
        for settings in app.settings {
            let described = try reader.describe(app.probes.impacts(of: settings).map(\.query.sql))
            if let complaint = described.lazy.compactMap(\.complaint).first {
                obstacles += Self.all(settings).map { Obstacle($0, complaint) }
            } else {
                impacts[settings.name] = described.map(\.facts)
            }
        }
        let compiler = ActCompiler(app: app, types: types, facts: facts, impacts: impacts)
        let base = try reader.baseColumns(compiler.columns)
        for action in app.actions {
            if let act = compiler.act(action) {
                acts.append(act)
            } else {
                let place = app.objects.firstIndex { .object($0.noun) == action.subject }
                let reason = place.flatMap { described[$0 + 1].complaint } ?? "usher can't read the keys of the objects"
                obstacles.append(Obstacle(.act(.action, "\(action.noun) \(action.verb)"), reason))
            }
        }
        acts += app.states.compactMap(compiler.act)
        for settings in app.settings { acts += settings.columns.compactMap { compiler.act(settings, $0) } }
        let surroundings = compiler.surroundings(keyType: keyType) { base.contains($0) }
        self.surroundings = surroundings
        try keepWhatTheOwnerCan(owner, reader, surroundings)
        let read = try reader.read(ReadSettings.question)
        settings = try ReadSettings(read)
        self.surroundings?.settings = settings.names
    }

    /// All actions, test states and settings of an app.
    private static func all(_ app: App) -> [Obstacle.Subject] {
        app.actions.map { .act(.action, "\($0.noun) \($0.verb)") } + app.states.map { .act(.state, $0.name) }
            + app.settings.flatMap(all)
    }

    private static func all(_ settings: App.Settings) -> [Obstacle.Subject] {
        settings.columns.map { .act(.setting, "\(settings.name) \($0.name)") }
    }

    /// The actions whose block contains a place in the app file.
    private static func all(_ app: App, at place: App.Place) -> [Obstacle.Subject] {
        // Conditions that an action uses by name can be in another block.
        let actions = app.actions.filter { action in
            place.isIn(action.statements.map(\.sql), behind: action.place)
                || place.isIn((action.refusals + action.warnings).map(\.condition))
        }
        return actions.map { .act(.action, "\($0.noun) \($0.verb)") }
            + app.states.filter { place.isIn($0.statements.map(\.sql)) }.map { .act(.state, $0.name) }
            + app.settings.filter { place == $0.place || place.isIn($0.impacts.map(\.condition)) }.flatMap(all)
    }

    private mutating func dropObstructed() {
        let left = Set(obstacles.map(\.subject))
        acts.removeAll { left.contains(.act($0.kind, $0.name)) }
    }

    /// Drops actions for which the owner of the schema `usher` lacks rights.
    ///
    /// If the owner can't read the users, usher drops every action. If the owner can't read a decision, usher drops the
    /// actions with an @expect for this decision.
    private mutating func keepWhatTheOwnerCan(
        _ owner: String, _ reader: NeedReader, _ surroundings: ActSurroundings
    ) throws(PQError) {
        let parts: [(subject: Obstacle.Subject, statements: [String], writes: [StatementTarget])] =
            [(.users, surroundings.labels.map { [$0.sql] } ?? [], [])]
            + surroundings.decisions.map { (.decision($0.name), [$0.query.sql], []) }
            + acts.map { (.act($0.kind, $0.name), $0.statements, $0.targets) }
        let statements = parts.flatMap(\.statements).map { (sql: $0, parameters: Act.parameterTypes) }
        var answers = try reader.needs(of: statements)[...]
        let needs = parts.map { part in
            defer { answers = answers.dropFirst(part.statements.count) }
            return ActNeeds(Array(answers.prefix(part.statements.count)), writing: part.writes)
        }
        let missing = try reader.missing(Set(needs.flatMap(\.needs)), of: owner)
        for (part, needs) in zip(parts, needs) {
            obstacles += needs.reasons(missing).map { Obstacle(part.subject, $0) }
        }
        let obstructed = Set(obstacles.map(\.subject))
        let missed = obstructed.contains(.users) ? [.users] : parts.map(\.subject).filter(obstructed.contains)
        for shared in missed {
            obstacles += acts.filter { act in
                shared == .users || act.decisions.contains { .decision($0) == shared }
            }.map {
                Obstacle(.act($0.kind, $0.name), shared.isMissing)
            }
        }
        dropObstructed()
        if obstructed.contains(.users) { self.surroundings = nil }
    }
}

/// The rights that an action needs.
private struct ActNeeds {
    var needs: Set<Need> = []
    /// The tables that the action writes although its text doesn't name them.
    private let hidden: Set<String>
    var errors: [ServerError] = []

    init(_ answers: [Result<Set<Need>, ServerError>], writing targets: [StatementTarget]) {
        for answer in answers {
            switch answer {
            case .success(let found): needs.formUnion(found)
            case .failure(let error):
                if !errors.contains(error) { errors.append(error) }
            }
        }
        // UPDATE rights without a column come from row locks, which write nothing.
        let written = needs.filter { $0.privilege == .delete || $0.privilege.isWrite && $0.column != nil }
        let named = Set(targets.map(\.table))
        hidden = Set(written.filter { !named.contains(TableName(schema: $0.schema, name: $0.name)) }.map(\.subject))
        // The owner must read the tables, because the audit log records the old values of rows.
        needs.formUnion(targets.map { Need(.select, $0.table.schema, $0.table.name) })
    }

    /// The reasons why the owner can't run the action, given the rights that the owner lacks.
    func reasons(_ missing: Set<Need>) -> [String] {
        let lacking = needs.intersection(missing).sorted {
            ($0.privilege.rawValue, $0.subject) < ($1.privilege.rawValue, $1.subject)
        }
        var reasons = errors.map(\.message)
        // Missing rights on several columns of a table give the same reason, which is listed once.
        for need in lacking {
            let reason = "the owner of the schema usher doesn't have \(need.privilege.rawValue) on \(need.subject)"
            if reasons.last != reason { reasons.append(reason) }
        }
        return reasons + hidden.sorted().map { "a statement of the action also writes \($0), which usher can't record" }
    }
}

extension Result<Description, ServerError> {
    /// The columns; empty if the server refused the statement.
    fileprivate var facts: [App.Fact] {
        ((try? get())?.columns ?? []).map { (name: $0.name, type: $0.type.rawValue) }
    }

    /// The reason why the server refused the statement.
    fileprivate var complaint: String? {
        if case .failure(let error) = self { error.message } else { nil }
    }
}

extension NeedReader {
    /// The columns that belong to a table, not to a view.
    fileprivate func baseColumns(_ columns: [ActSurroundings.Column]) throws(PQError) -> Set<ActSurroundings.Column> {
        let rows = try read(
            Query(
                file: "catalog/base_columns.sql",
                [
                    arrayLiteral(columns.map(\.schema)), arrayLiteral(columns.map(\.table)),
                    arrayLiteral(columns.map(\.name)),
                ]))
        return Set(
            try rows.rows.map { row throws(PQError) in
                ActSurroundings.Column(
                    schema: try row.text("schema"), table: try row.text("table"), name: try row.text("column"))
            })
    }
}
