internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// What directives name: facts, tables, columns and types.
extension AppCheck {
    mutating func checkMeanings(_ users: Result<Description, ServerError>) {
        guard case .success(let description) = users else { return }
        let names = description.columns.map(\.name)
        for link in app.users.links {
            for fact in link.address.facts where !names.contains(fact) {
                report(
                    .noFactOfLink(title: link.title, fact),
                    at: link.address.place(of: "{\(fact)}") ?? link.place, near: fact, among: names,
                    because: .init(.column, [fact]))
            }
        }
        for meaning in app.users.meanings where !names.contains(meaning.fact) {
            report(
                .noFactToMean(meaning.fact), at: meaning.place, near: meaning.fact, among: names,
                because: .init(.column, [meaning.fact]))
        }
    }

    mutating func checkRequirements() throws(PQError) {
        let relations = try relations(app.requires.flatMap(\.alternatives).map(\.relationName))
        for requirement in app.requires where !relations.meets(requirement) {
            let name = requirement.relationName
            let isTable = !relations.exists(RelationName(schema: name.schema, name: name.name))
            report(
                .unmet(requirement: requirement.name), at: requirement.place,
                because: isTable
                    ? .init(.table, [name.schema, name.name])
                    : .init(.column, [name.schema, name.name, name.column].compactMap { $0 }))
        }
    }

    /// What can be described before anything else is known, in one go.
    func describeAhead() throws(PQError) {
        let values = ValueCheck(app: app, misread: [], transaction: transaction, descriptions: descriptions)
        let sides = (app.account?.refers ?? []).compactMap(\.sides).flatMap { [$0.from, $0.to] }
        _ = try descriptions.of(
            (app.account?.secretProbes ?? []).map(\.sql) + values.statements + app.nameProbes.map(\.sql) + sides
                + ofOwnTypes.map { Self.value(of: $0.declaration) })
    }

    /// The parameters that say a type themselves; that of a key is its column's.
    private var ofOwnTypes: [(declaration: ParameterDeclaration, place: App.Place)] {
        app.declarations.filter { $0.declaration.names == nil }
    }

    /// A parameter's default, or nothing, as a value of its type; Postgres reads a constant while it parses.
    private static func value(of declaration: ParameterDeclaration) -> String {
        let type = declaration.type == "secret" ? "text" : declaration.type
        return "select " + (declaration.defaultValue.map(Composer.literal) ?? "null") + "::" + type
    }

    /// The types that parameters are declared with.
    mutating func checkTypes() throws(PQError) {
        let declared = ofOwnTypes
        for ((declaration, place), answer) in zip(
            declared, try descriptions.of(declared.map { Self.value(of: $0.declaration) }))
        {
            if let range = declaration.range, let type = (try? answer.get())?.columns.first?.type,
                !ShapedColumn.Kind.number.admits(type)
            {
                report(.bounds(of: declaration.name, type: declaration.type, range), at: place)
            }
            if case .failure(let error) = answer {
                if error.state == .insufficientPrivilege {
                    deny(error, at: place)
                    continue
                }
                let type = SQLName.parts(ofPath: declaration.type) ?? []
                report(
                    .name(directive: declaration.name, .init(error)),
                    at: error.state == .undefinedObject ? place.narrowed(to: declaration.type) : place,
                    because: Cause.Kind(error.state).flatMap { Cause($0, type) })
            }
        }
    }

    /// The columns that nobody may see, with the paths that lines name them by.
    mutating func secretColumns() throws(PQError) -> [(origin: DescribedColumn.Origin, path: [String])] {
        let probes = app.account?.secretProbes ?? []
        let described = try descriptions.of(probes.map(\.sql))
        missesSecret = described.contains { Self.isOfNothing($0) }
        return zip(probes, described).compactMap { probe, described in
            (try? described.get())?.columns.first?.origin.map { ($0, probe.path) }
        }
    }

    private static func isOfNothing(_ answer: Result<Description, ServerError>) -> Bool {
        if case .failure(let error) = answer { Cause.Kind(error.state) != nil } else { false }
    }

    mutating func checkNames() throws(PQError) {
        let probes = app.nameProbes
        judge(Array(zip(probes, try descriptions.of(probes.map(\.sql)))))
        let reassigned = try reassignedColumns()
        for probes in app.account?.givingProbes(reassigned.mapValues { $0.map(\.column) }) ?? [] {
            let answers = Array(zip(probes, try descriptions.of(probes.map(\.sql))))
            // Of several columns the one that goes over may be the one that fits.
            if answers.allSatisfy({ (try? $1.get()) == nil }) { judge(Array(answers.prefix(1))) }
        }
        try checkHeirs(reassigned)
    }

    /// Tells of shared rows that go over to somebody who is written out and is none of the users that there are.
    private mutating func checkHeirs(_ reassigned: [String: [(column: String, key: String)]]) throws(PQError) {
        guard let account = app.account, let root = SQLName.parts(ofPath: account.root), root.count > 1 else { return }
        let users = SQLName.path(of: Array(root.prefix(2)))
        let heirs = account.shared.compactMap { line in line.literal.map { (line: line, literal: $0) } }
        let questions = heirs.enumerated().flatMap { number, heir in
            Set((reassigned[heir.line.table] ?? []).map(\.key)).sorted().map { key in
                (
                    number: number,
                    sql: "select exists (select from \(users)) and not exists "
                        + "(select from \(users) u where u.\(key) = (\(heir.literal))) as nobody"
                )
            }
        }
        let parsed = try descriptions.denials(among: questions.map(\.sql), areWrong: true).parsed
        let asked = questions.indices.filter(parsed.contains).map { questions[$0] }
        if asked.isEmpty { return }
        let answers = try transaction.read(asked.map { Query(unsafe: $0.sql) }, isLast: false)
        for (number, heir) in heirs.enumerated() {
            let own = zip(asked, answers).filter { $0.0.number == number }.map(\.1)
            // Of several columns the one that goes over may refer to whom it means.
            guard !own.isEmpty, own.allSatisfy({ (try? $0.get().only().boolean("nobody")) == true }) else { continue }
            report(.noHeir(heir.literal, users: users), at: heir.line.place.narrowed(to: heir.literal))
        }
    }

    /// The columns that refer to users, by a key or a line, in tables whose shared rows go over to somebody.
    private func reassignedColumns() throws(PQError) -> [String: [(column: String, key: String)]] {
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
        var columns: [String: [(column: String, key: String)]] = [:]
        do throws(DecodingFailure) {
            for row in answer.rows {
                let pair = (column: try row.text("column"), key: try row.text("key"))
                columns[try row.text("table"), default: []].append(pair)
            }
        } catch {
            throw .decoding(error)
        }
        return columns
    }

    private mutating func judge(_ answered: [(probe: NameProbe, answer: Result<Description, ServerError>)]) {
        for (probe, answer) in answered {
            guard case .failure(let error) = answer,
                !probe.isOfType || error.state == .datatypeMismatch || error.isMisfit
            else {
                continue
            }
            if error.state == .insufficientPrivilege {
                deny(error, at: probe.place)
                continue
            }
            let kind = Cause.Kind(error.state)
            let place = kind == .table ? probe.tablePlace ?? probe.place : probe.place(ofPosition: error.position)
            let path =
                kind == .table
                ? Array(probe.path.prefix(2)) : probe.start == nil ? probe.path : place.file.path(at: place.offset)
            report(
                .name(directive: probe.subject, .init(error)), at: place, because: kind.flatMap { Cause($0, path) })
        }
    }
}
