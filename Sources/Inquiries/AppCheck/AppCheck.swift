package import AppFile
package import Asking
internal import Catalog
package import PQ

/// Checks an app file against a live database, without running any of its statements.
///
/// Postgres parses every statement, condition and sentence. usher also stores each statement in a function, reads
/// from the catalog which columns the statement uses, and rolls back. The lints, such as `ValueLint`, compare tokens
/// with the catalog, and only warn.
package struct AppCheck {
    let app: App
    let transaction: ReadTransaction
    /// The fragments with unclosed brackets or quotes, which the parser has already reported.
    private let broken: [Fragment]
    private var findings: [Diagnostic] = []
    /// The errors of Postgres about a declared type, which Postgres repeats at each use of the parameter or column.
    private var declaredWrong: Set<String> = []

    private init(_ app: App, _ transaction: ReadTransaction) throws(PQError) {
        self.transaction = transaction
        self.app = app.fitted(to: try Relations(try transaction.read(Relations.query(about: app.optionalNames))))
        broken = (self.app.fragments + self.app.changingFragments).filter(\.isBroken)
    }

    /// Checks an app, and returns the findings and the reason why some checks didn't run; nil if all checks ran.
    package static func report(
        on app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> (findings: [Diagnostic], unchecked: String?) {
        try failing { () throws(PQError) in
            let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
            var check = try AppCheck(app, transaction)
            let described = try check.describe()
            try transaction.end()
            let needs = try NeedCheck(check.app, described, on: connection, timeout: options.timeout)
            return ((check.findings + needs.findings).sortedOnce, needs.unchecked)
        }
    }

    typealias Described = (probe: Probe, answer: Description)

    /// Lets Postgres parse all statements and names, and returns the statements without an error.
    private mutating func describe() throws(PQError) -> [Described] {
        try checkTypes()
        let directory = app.probes.directory
        let users = try transaction.describe(directory.map(\.query.sql))
        let types = try app.keyTypes(users, asking: transaction.read)
        let probes = directory + app.probes.all(types) + app.probes.names
        let answers = try transaction.describe(probes.map(\.query.sql))
        // If Postgres doesn't know the type of a key, it can't infer the type of the key's parameter.
        let areKeysUnknown = users.contains { (try? $0.get()) == nil }
        let wrong = zip(probes, answers).filter { (try? $1.get()) == nil }.map(\.0)
        for (probe, answer) in zip(probes, answers) { check(probe, answer, beside: wrong, areKeysUnknown) }
        let right = zip(probes, answers).filter { $0.0.subject == nil }.compactMap { probe, answer in
            (try? answer.get()).map { (probe, $0) }
        }
        if case .success(let users) = users[0] {
            let facts = users.columns.map(\.name)
            checkMeanings(facts)
            checkAssumptions(facts, right)
        }
        try checkRequirements()
        try checkNewOwners()
        if let account = app.account {
            findings += try AccountLineCheck(account: account, transaction: transaction).findings()
        }
        let reported = Set(findings.map(\.place))
        let lints =
            try ValueLint(app: app, described: right, transaction: transaction).findings()
            + InnerNameLint(described: right, transaction: transaction).findings()
        findings += lints.filter { !reported.contains($0.place) }
        findings += app.unboundStatements
        return right
    }

    // MARK: Statements

    private mutating func check(
        _ probe: Probe, _ answer: Result<Description, ServerError>, beside wrong: [Probe], _ areKeysUnknown: Bool
    ) {
        // An unclosed quote or bracket also breaks every statement that contains the fragment.
        if broken.contains(where: probe.query.includes) { return }
        switch answer {
        case .failure(let error):
            if areKeysUnknown, [.ambiguousFunction, .indeterminateDatatype].contains(error.state) { return }
            if probe.isOfType, error.state != .datatypeMismatch, !error.isMisfit { return }
            let place = error.position.flatMap { probe.query.origin(ofPosition: $0) }
            // If the statement uses a definition with an error, usher reports an error without a position only at the
            // definition.
            let definitions = wrong.filter { $0.place != probe.place }.compactMap(\.defined)
            if place == nil, definitions.contains(where: probe.query.includes) { return }
            report(error, at: place ?? probe.place, of: probe.subject)
        case .success(let description):
            let names = description.columns.map(\.name)
            for (column, place) in probe.columns where !names.contains(column) {
                report("the select has no column \(column)", at: place, near: column, among: names)
            }
            if !probe.shape.isEmpty { check(probe.shape, description.columns, at: probe.place) }
            let known = names + probe.declarations.map(\.name).sorted()
            for sentence in probe.sentences {
                for fact in sentence.facts where !known.contains(fact) {
                    report(
                        "{\(fact)} is not a fact that this sentence can use",
                        at: sentence.place(of: "{\(fact)}") ?? probe.place, near: fact,
                        among: known + app.constants.map(\.name))
                }
            }
        }
    }

    private mutating func check(_ shape: [ShapedColumn], _ columns: [DescribedColumn], at place: App.Place) {
        if columns.count != shape.count {
            let wanted = shape.map(\.name).joined(separator: ", ")
            return report(
                "the select must have \(shape.count.of("column")) (\(wanted)), not \(columns.count)", at: place)
        }
        // Postgres gives NULL without a cast the type text.
        let wrong = zip(shape, columns).first { wanted, column in
            !wanted.kind.admits(column.type) && !(wanted.isOptional && column.type == .text)
        }
        guard let (column, _) = wrong else { return }
        report(
            "the column \(column.name) must be \(column.kind == .time ? "a time or a day" : "a number")", at: place)
    }

    private mutating func report(_ error: ServerError, at place: App.Place, of directive: String? = nil) {
        if declaredWrong.contains(error.message) { return }
        findings.append(
            error.state == .insufficientPrivilege
                ? Diagnostic(ofRole: error.message, at: place) : Diagnostic(error, of: directive, at: place))
    }

    private mutating func report(
        _ message: String, at place: App.Place, near word: String = "", among known: [String] = []
    ) {
        findings.append(Diagnostic(message, at: place, hint: Nearest.hint(for: word, among: known)))
    }

    // MARK: Names in directives

    private mutating func checkMeanings(_ facts: [String]) {
        for link in app.users.links {
            for fact in link.address.facts where !facts.contains(fact) {
                report(
                    "@link \(link.title): {\(fact)} is not a fact of the users",
                    at: link.address.place(of: "{\(fact)}") ?? link.place, near: fact, among: facts)
            }
        }
        for meaning in app.users.meanings where !facts.contains(meaning.fact) {
            report(
                "@fact \(meaning.fact): there is no such fact", at: meaning.place, near: meaning.fact, among: facts)
        }
    }

    /// Reports an assumption of an example that is neither a fact nor a declared assumption of a decision.
    private mutating func checkAssumptions(_ facts: [String], _ right: [Described]) {
        var known = Set(facts + app.decisions.flatMap(\.assumptions).map(\.name))
        for select in app.decisions.compactMap(\.select) {
            guard let columns = right.first(where: { $0.probe.place == select.place })?.answer.columns else { return }
            known.formUnion(columns.map(\.name))
        }
        for (name, place) in app.examples.flatMap(\.assumptions) where !known.contains(name) {
            report("@assume \(name): no decision has this fact", at: place, near: name, among: known.sorted())
        }
    }

    private mutating func checkRequirements() throws(PQError) {
        let names = app.requires.flatMap(\.alternatives).map(\.relationName)
        let relations = try Relations(try transaction.read(Relations.query(about: names)))
        for requirement in app.requires where !relations.meets(requirement) {
            report(
                "@requires \(requirement.name): this database doesn't have this table or column", at: requirement.place)
        }
    }

    /// Checks the declared types of parameters, except those of users and objects, which get the type of the key.
    private mutating func checkTypes() throws(PQError) {
        let declared = app.declarations.filter { $0.declaration.names == nil }
        let values = declared.map { declaration, _ in
            // Postgres evaluates a constant when it parses the statement.
            "select " + (declaration.defaultValue.map(Composer.literal) ?? "null") + "::" + declaration.boundType
        }
        for ((declaration, place), answer) in zip(declared, try transaction.describe(values)) {
            switch answer {
            case .success(let description):
                if declaration.range != nil, let type = description.columns.first?.type,
                    !ShapedColumn.Kind.number.admits(type)
                {
                    report(
                        "\(declaration.name) has the type \(declaration.type), but a range LOW..HIGH needs a number",
                        at: place)
                }
            case .failure(let error):
                report(error, at: place.narrowed(to: declaration.type), of: declaration.name)
                declaredWrong.insert(error.message)
            }
        }
    }

    /// Checks that the new owner of shared rows fits a column that refers to users.
    private mutating func checkNewOwners() throws(PQError) {
        for probes in app.probes.giving(try reassignedColumns()) {
            let answers = try transaction.describe(probes.map(\.query.sql))
            // If a table has several columns that refer to users, the new owner must fit only one of them.
            if answers.allSatisfy({ (try? $0.get()) == nil }), let probe = probes.first {
                check(probe, answers[0], beside: [], false)
            }
        }
    }

    /// The columns that refer to users, through a foreign key or an `@refers`, in tables whose shared rows get a new
    /// owner.
    private func reassignedColumns() throws(PQError) -> [String: [String]] {
        guard let account = app.account else { return [:] }
        let tables = account.shared.filter { if case .give = $0.answer { true } else { false } }.map(\.table)
        if tables.isEmpty { return [:] }
        let references = account.refers.filter { $0.to != nil && !$0.from.contains("(") }
        let query = Query(
            file: "catalog/reassigned_columns.sql",
            [
                arrayLiteral(tables), account.root, arrayLiteral(references.map(\.from)),
                arrayLiteral(references.compactMap(\.to)),
            ])
        let answer = try transaction.read(query)
        var columns: [String: [String]] = [:]
        for row in answer.rows { columns[try row.text("table"), default: []].append(try row.text("column")) }
        return columns
    }
}

extension [Diagnostic] {
    /// Each finding once, in the order of the file.
    package var sortedOnce: [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return filter { seen.insert($0).inserted }.sorted { ($0.file.name, $0.offset) < ($1.file.name, $1.offset) }
    }
}

extension ShapedColumn.Kind {
    fileprivate func admits(_ type: TypeID) -> Bool {
        switch self {
        case .anything: true
        case .time: [.timestamptz, .timestamp, .date].contains(type)
        case .number: [.smallint, .integer, .bigint, .numeric, .real, .double].contains(type)
        }
    }
}

extension Diagnostic {
    /// Creates a finding from an error of Postgres about a statement, or about a name in a directive.
    init(_ error: ServerError, of directive: String? = nil, at place: App.Place) {
        self.init((directive.map { "\($0): " } ?? "") + error.message, at: place, hint: error.hint ?? error.detail)
    }

    /// Creates a warning about the connected role.
    init(ofRole message: String, at place: App.Place) {
        self.init(
            message, at: place, hint: "the app file may be right; run the check as the owner of the tables",
            severity: .warning, isOfRole: true)
    }
}
