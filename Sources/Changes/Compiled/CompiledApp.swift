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
    /// The number of all actions, test states and settings of the app file.
    private let total: Int
    /// The session settings that functions read; operators can't set them.
    package private(set) var settings = ReadSettings()

    /// An action or block that can't be installed.
    package struct Obstacle: Sendable, Hashable {
        /// The title of the action, or the name of a block, such as `decision access`.
        package let name: String
        /// The reason why the action or block can't be installed, as a sentence.
        package let sentence: String

        package init(_ name: String, _ sentence: String) { (self.name, self.sentence) = (name, sentence) }
    }

    /// The name of the query of the users, which every action needs.
    private static let users = "reading users"
    private static let lacksUsers = "usher can't read the users, and every action needs them"

    /// The sentence about the number of installed actions.
    package var extent: String {
        let file = " of the file \(shortDigest)"
        if acts.count == total { return "\(name), \(total.of("action"))\(file)" }
        return "\(name), \(acts.isEmpty ? "none" : "\(acts.count)") of \(total.of("action"))\(file)"
    }

    /// The actions and blocks that can't be installed, one line per reason.
    package var hindrances: [String] {
        var sentences: [String] = []
        for obstacle in obstacles where !sentences.contains(obstacle.sentence) { sentences.append(obstacle.sentence) }
        return sentences.map { sentence in
            let names = obstacles.filter { $0.sentence == sentence }.map(\.name)
            return "\(names.joined(separator: ", ")): \(sentence)"
        }
    }

    /// The first characters of the digest, as people compare them.
    package var shortDigest: String { String(digest.prefix(12)) }

    /// Compiles an app for the role that owns the schema `usher`, or that will own it.
    ///
    /// Writes nothing and runs no statement of the app.
    package static func compile(
        _ app: App, on connection: Connection, as known: String? = nil, options: InquiryOptions
    ) throws(Failure) -> CompiledApp {
        defer { try? connection.rollbackIfOpen() }
        return try failing { () throws(PQError) in
            let owner =
                if let known { known } else {
                    try connection.execute(Query(file: "catalog/install.sql")).only().text("owner")
                }
            let reader = try NeedReader(on: connection, timeout: options.timeout, as: owner)
            return try CompiledApp(app, reader, owner: owner)
        }
    }

    /// Compiles an app without the actions in which `app check` finds a mistake.
    package static func checked(
        _ app: App, on connection: Connection, as owner: String? = nil, options: InquiryOptions
    ) throws(Failure) -> CompiledApp {
        var compiled = try compile(app, on: connection, as: owner, options: options)
        let mistakes = try AppCheck.report(on: app, on: connection, options: options).findings.filter {
            $0.severity == .error
        }
        for mistake in mistakes {
            for title in titles(app, at: mistake.place) where compiled.acts.contains(where: { $0.title == title }) {
                compiled.obstacles.append(Obstacle(title, mistake.message))
            }
        }
        compiled.dropObstructed()
        return compiled
    }

    private init(_ app: App, _ reader: NeedReader, owner: String) throws(PQError) {
        name = app.name
        digest = app.digest
        let titles = Self.titles(app)
        total = titles.count
        let described = try reader.describe(app.probes.directory.map(\.query.sql))
        let types = try app.keyTypes(described, asking: reader.read)
        guard let keyType = types[.users] else {
            let reason =
                described[0].complaint ?? "the select of @users has no column \(app.users.key), which is its @key"
            obstacles = [Obstacle(Self.users, reason)] + titles.map { Obstacle($0, Self.lacksUsers) }
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
                obstacles += Self.titles(settings).map { Obstacle($0, complaint) }
            } else {
                impacts[settings.name] = described.map(\.facts)
            }
        }
        let compiler = ActCompiler(app: app, types: types, facts: facts, impacts: impacts)
        let relations = try Relations(try reader.read(Relations.query(about: compiler.columns.map(\.relation))))
        for action in app.actions {
            if let act = compiler.act(action) {
                acts.append(act)
            } else {
                let place = app.objects.firstIndex { .object($0.noun) == action.subject }
                let reason = place.flatMap { described[$0 + 1].complaint } ?? "usher can't read the keys of the objects"
                obstacles.append(Obstacle(Act.Kind.action.title(of: "\(action.noun) \(action.verb)"), reason))
            }
        }
        acts += app.states.compactMap(compiler.act)
        for settings in app.settings { acts += settings.columns.compactMap { compiler.act(settings, $0) } }
        let surroundings = compiler.surroundings(keyType: keyType) { relations.isOfTable($0.relation) }
        self.surroundings = surroundings
        try keepWhatTheOwnerCan(owner, reader, surroundings)
        let read = try reader.read(ReadSettings.question)
        settings = try ReadSettings(read)
        self.surroundings?.settings = settings.names
    }

    /// The titles of all actions, test states and settings of an app; with a place, of those whose block contains it.
    private static func titles(_ app: App, at place: App.Place? = nil) -> [String] {
        func has(_ fragments: [Fragment], behind head: App.Place? = nil) -> Bool {
            place?.isIn(fragments, behind: head) ?? true
        }
        // Conditions that an action uses by name can be in another block.
        let actions = app.actions.filter { action in
            has(action.statements.map(\.sql), behind: action.place)
                || has((action.refusals + action.warnings).map(\.condition))
        }
        let states = app.states.filter { has($0.statements.map(\.sql)) }
        let settings = app.settings.filter { place == $0.place || has($0.impacts.map(\.condition)) }
        return actions.map { Act.Kind.action.title(of: "\($0.noun) \($0.verb)") }
            + states.map { Act.Kind.state.title(of: $0.name) } + settings.flatMap(titles)
    }

    private static func titles(_ settings: App.Settings) -> [String] {
        settings.columns.map { Act.Kind.setting.title(of: "\(settings.name) \($0.name)") }
    }

    private mutating func dropObstructed() {
        let left = Set(obstacles.map(\.name))
        acts.removeAll { left.contains($0.title) }
    }

    /// Drops actions for which the owner of the schema `usher` lacks rights.
    ///
    /// If the owner can't read the users, usher drops every action. If the owner can't read a decision, usher drops the
    /// actions with an @expect for this decision.
    private mutating func keepWhatTheOwnerCan(
        _ owner: String, _ reader: NeedReader, _ surroundings: ActSurroundings
    ) throws(PQError) {
        let parts: [(name: String, statements: [String], writes: [StatementTarget])] =
            [(Self.users, surroundings.labels.map { [$0.sql] } ?? [], [])]
            + surroundings.decisions.map { ("decision \($0.name)", [$0.query.sql], []) }
            + acts.map { ($0.title, $0.statements, $0.targets) }
        let statements = parts.flatMap(\.statements).map { (sql: $0, parameters: Act.parameterTypes) }
        var answers = try reader.needs(of: statements)[...]
        let needs = parts.map { part in
            defer { answers = answers.dropFirst(part.statements.count) }
            return ActNeeds(Array(answers.prefix(part.statements.count)), writing: part.writes)
        }
        let missing = try reader.missing(Set(needs.flatMap(\.needs)), of: owner)
        for (part, needs) in zip(parts, needs) {
            obstacles += needs.reasons(missing).map { Obstacle(part.name, $0) }
        }
        let obstructed = Set(obstacles.map(\.name))
        if obstructed.contains(Self.users) {
            obstacles += acts.map { Obstacle($0.title, Self.lacksUsers) }
            self.surroundings = nil
        } else {
            for decision in surroundings.decisions.map({ "decision \($0.name)" }) where obstructed.contains(decision) {
                obstacles += acts.filter { $0.decisions.contains { "decision \($0)" == decision } }.map {
                    Obstacle($0.title, "the action needs the \(decision), which can't be installed")
                }
            }
        }
        dropObstructed()
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
