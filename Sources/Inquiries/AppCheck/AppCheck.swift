package import AppFile
package import Asking
internal import Catalog
package import PQ

/// Holds an app file against a live database without running anything of it.
///
/// Postgres itself parses every statement, condition and placeholder; the rest is compared with the catalog. All findings
/// come at once, each with its place in the file.
package struct AppCheck {
    private(set) var app: App
    let transaction: ReadTransaction
    let descriptions: Descriptions
    var findings: [AppFinding] = []
    /// Whether a line names one that there is not: which was meant is not known before it is mended.
    var missesSecret = false
    /// What was not looked at for all users.
    var unseen: [Unseen] = []
    private var numbers: [Sentence: Set<String>] = [:]
    /// Where this role may not look, by what Postgres says of it; nothing of that is the file's fault.
    private(set) var denied: [String: [App.Place]] = [:]
    /// What cannot be read as SQL at all.
    private(set) var broken: [Fragment] = []
    /// The definitions that Postgres objects to.
    private var wrong: [Fragment] = []
    /// Whether a directory that holds keys is among them, so that Postgres cannot tell their type.
    private var areKeysUnknown = false
    /// The facts of a user.
    var facts: [String] = []

    private init(_ app: App, _ transaction: ReadTransaction) {
        self.app = app
        self.transaction = transaction
        descriptions = Descriptions(transaction)
    }

    /// What is wrong with an app for this database, and what could not be found out.
    package struct Report: Sendable {
        /// Nothing when it fits.
        package let findings: [AppFinding]
        /// What this role may not read, so that nobody knows whether it is right.
        package let denied: [String]
        package let unseen: [Unseen]
        /// The facts of sentences that are numbers, as Postgres describes them.
        package let numbers: [Sentence: Set<String>]
    }

    /// What is wrong with an app for this database, nothing when it fits.
    package static func findings(
        in app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [AppFinding] {
        try report(on: app, on: connection, options: options).findings
    }

    /// The same, and what could not be found out.
    package static func report(
        on app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> Report {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        var check = AppCheck(app, transaction)
        do throws(PQError) {
            try check.run()
            try transaction.end()
        } catch {
            throw Failure(error)
        }
        return Report(
            findings: check.findings, denied: check.denied.keys.sorted(), unseen: check.unseen, numbers: check.numbers)
    }

    private mutating func run() throws(PQError) {
        let relations = try relations(app.optionalNames)
        checkMissing(zip(app.optional, app.optionalNames).filter { !relations.exists($0.1) }.map(\.0))
        app = app.fitted(to: relations)
        try describeAhead()
        let secrets = try secretColumns()
        broken = (app.fragments + app.changingFragments).filter(\.isBroken)
        let directory = app.directoryProbes
        let described = try descriptions.of(directory.map(\.query.sql))
        if case .success(let users) = described[0] { facts = users.columns.map(\.name) }
        checkMeanings(described[0])
        areKeysUnknown = described.contains { (try? $0.get()) == nil }
        let types = try app.keyTypes(described, names: typeNames)
        let (probes, choices) = (app.probes(types), app.choiceProbes)
        let both = try descriptions.of((probes + choices).map(\.query.sql))
        let judged = Array(both.prefix(probes.count))
        let answered = Array(zip(directory + probes, described + judged))
        wrong = answered.compactMap { probe, answer in (try? answer.get()) == nil ? probe.defined : nil }
        for (probe, answer) in answered { judge(probe, answer) }
        let refused = Set(answered.filter { (try? $0.1.get()) == nil }.map(\.0.place))
        for (choice, answer) in zip(choices, both.dropFirst(probes.count)) {
            judge(choice: choice, answer, beside: refused)
        }
        try checkConditions(answered.compactMap(Self.refusedCondition))
        let right = answered.compactMap { probe, answer in (try? answer.get()).map { (probe, $0) } }
        for (probe, answer) in right {
            let names = answer.columns.filter { ShapedColumn.Kind.number.admits($0.type) }.map(\.name)
            for sentence in probe.sentences { numbers[sentence, default: []].formUnion(names) }
        }
        try checkMembers(described, right)
        let shown = try shownSecrets(secrets).findings(in: right, as: AppMistake.shownSecrets)
        findings += try shown + shownSecrets(secrets).readings(in: right, besides: shown)
        try checkSecretValues(right, beside: secrets.map(\.origin) + (try checkSecretNames()), described)
        try checkPlans(right.map(\.0))
        if case .success(let users) = described[0] {
            try checkSingles(right)
            if let key = users.columns.first(where: { $0.name == app.users.key }) {
                try checkKeyed(key, described, right)
            }
            try checkExpected(described, right)
            checkAssumptions(right)
        }
        try checkRequirements()
        try checkTypes()
        try checkNames()
        let misread = Set(findings.filter(\.mistake.isMisread).map(\.place))
        let values = try ValueCheck(app: app, misread: misread, transaction: transaction, descriptions: descriptions)
            .findings()
        // Whoever knows the values says more than that one could not be read.
        findings.removeAll { finding in
            finding.mistake.isMisread && values.contains { $0.place == finding.place }
        }
        findings += values
        if let account = app.account {
            findings += try AccountLineCheck(account: account, transaction: transaction).findings()
        }
        findings += (app.unboundStatements + app.sharedSelects).map {
            AppFinding(.ofFile($0), at: .init(file: $0.file, offset: $0.offset))
        }
        try checkGates(app.gates(types))
        try checkGeneralRefusals()
        try checkReach(types)
        try checkReferences()
        try checkFunctions()
        try checkEmptied()
        try checkCompared(described)
        reportDenied()
        try settleFindings()
    }

    // MARK: Statements

    private mutating func judge(_ probe: Probe, _ answer: Result<Description, ServerError>) {
        // What is open at its end runs into whatever uses it.
        if broken.contains(where: probe.query.includes) { return }
        switch answer {
        case .failure(let error):
            if Self.refusedCondition(probe, answer) == nil { report(error, in: probe) }
        case .success(let description):
            let names = description.columns.map(\.name)
            for (column, place) in probe.columns where !names.contains(column) {
                report(
                    .noColumn(column), at: place ?? probe.place, near: column, among: names,
                    because: .init(.column, [column]))
            }
            if !probe.shape.isEmpty { judge(probe.shape, description.columns, at: probe.place) }
            for sentence in probe.sentences {
                for fact in sentence.facts where !names.contains(fact) && !probe.knownNames.contains(fact) {
                    report(
                        .noFact(fact),
                        at: sentence.place(of: "{\(fact)}") ?? probe.sentencePlace ?? probe.place, near: fact,
                        among: names + probe.knownNames.sorted() + app.constants.map(\.name),
                        because: .init(.column, [fact]))
                }
            }
        }
    }

    /// A condition that may be none, which is asked about anew.
    private static func refusedCondition(
        _ probe: Probe, _ answer: Result<Description, ServerError>
    ) -> (probe: Probe, error: ServerError)? {
        guard case .failure(let error) = answer, error.state == .datatypeMismatch, probe.condition != nil else {
            return nil
        }
        return (probe, error)
    }

    private mutating func judge(_ shape: [ShapedColumn], _ columns: [DescribedColumn], at place: App.Place) {
        if columns.count != shape.count {
            return report(.shape(columns: columns.count, wanted: shape.map(\.name)), at: place)
        }
        let select = app.fragments.first { $0.place == place }
        // What stands in the place of another is wrong in both, and is one mistake.
        if let wrong = zip(shape, columns).enumerated().first(where: { number, column in
            // Postgres takes a plain NULL for a text.
            let isNothing =
                column.0.isOptional && column.1.type == .text && select?.mayBeNothing(inColumn: number) ?? true
            return !isNothing && !column.0.kind.admits(column.1.type)
        }) {
            report(.kind(of: wrong.element.0), at: select?.place(ofColumn: wrong.offset) ?? place)
        }
    }

    mutating func report(_ error: ServerError, in probe: Probe, behind prefix: Int = 0) {
        // A fact that only an operator can supply has no type before it is given.
        let place = error.position.flatMap { probe.query.origin(ofPosition: $0 - prefix) }
        if error.state == .insufficientPrivilege {
            return deny(error, at: place.map { App.Place(file: $0.file, offset: $0.offset) } ?? probe.place)
        }
        if areKeysUnknown, [.ambiguousFunction, .indeterminateDatatype].contains(error.state) { return }
        // The type that a parameter is declared with is judged where it is declared, and so is the value of a constant.
        let isOfParameter = place.map { $0.file.bytes[$0.offset...].first == UInt8(ascii: ":") }
        if error.state == .undefinedObject, isOfParameter ?? true { return }
        if error.state == .invalidTextRepresentation, isOfParameter == true { return }
        // The type of what may be missing is judged where that is said.
        let named = place.map { $0.file.path(at: $0.offset) }?.last
        if error.state == .undefinedObject, app.optional.contains(where: { $0.column != nil && $0.column == named }) {
            return
        }
        let origin = place.map { App.Place(file: $0.file, offset: $0.offset) } ?? probe.place
        // What has no place in a statement is about one of the definitions in it, where one is wrong by itself.
        if place == nil, wrong.contains(where: { $0.place != probe.defined?.place && probe.query.includes($0) }) {
            return
        }
        let cause = Cause.Kind(error.state).flatMap { Cause($0, origin.file.path(at: origin.offset)) }
        // A name without a schema is a definition, and what is wrong with those was said when the file was read.
        if let cause, cause.kind == .table, cause.path.count == 1, !cause.path[0].hasPrefix("pg_") { return }
        report(.statement(.init(error)), at: origin, because: cause)
    }

    /// Remembers where the role is in the way.
    mutating func deny(_ error: ServerError, at place: App.Place) { denied[error.message, default: []].append(place) }

    mutating func report(
        _ mistake: AppMistake, at place: App.Place, near word: String = "", among known: [String] = [],
        because cause: Cause? = nil
    ) {
        findings.append(AppFinding(mistake, at: place, meant: nearest(to: word, among: known), cause: cause))
    }

    private func typeNames(_ types: [UInt32]) throws(PQError) -> [UInt32: String] {
        let rows = try transaction.read(TypeNames.query(of: types))
        do throws(DecodingFailure) { return try TypeNames.read(rows) } catch { throw .decoding(error) }
    }

    func relations(_ names: [RelationName]) throws(PQError) -> Relations {
        let answers = try Relations.queries(about: names).map { query throws(PQError) in try transaction.read(query) }
        do throws(DecodingFailure) { return try Relations(names, answers) } catch { throw .decoding(error) }
    }
}

extension ShapedColumn.Kind {
    func admits(_ type: TypeID) -> Bool {
        switch self {
        case .anything: true
        case .time: [.timestamptz, .timestamp, .date].contains(type)
        case .number: [.smallint, .integer, .bigint, .numeric, .real, .double].contains(type)
        }
    }
}
