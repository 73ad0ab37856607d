internal import AppFile
internal import Ledger
internal import Terminal

extension Act {
    var definition: JSON {
        .members([
            ("command", .string(command)), ("subject", .string(subject.word)),
            ("noun", subject.noun.map { .string($0) }),
            ("key_type", keyType.map { .string($0) }), ("grade", .string(grade.rawValue)),
            ("approve", approver.map { .string($0.name) }), ("ceiling", ceiling.map { JSON($0) }),
            ("final", .bool(isFinal)),
            ("parameters", .array(parameters.map(\.definition))), ("refusals", JSON(refusals)),
            ("judgement", judgement?.item), ("listed", listed?.item), ("each", each?.item), ("owners", owners?.item),
            ("named", named?.item), ("column", column.map { .string($0) }),
            ("impacts", .array(impacts.map(\.item))),
            (
                "expects",
                .array(
                    expects.enumerated().map { number, expectation in
                        let about = abouts.indices.contains(number) ? abouts[number] : nil
                        return .members([
                            ("decision", .string(expectation.decision)), ("about", about?.item),
                            ("outcomes", .strings(expectation.outcomes)),
                        ])
                    })
            ),
            (
                "selections",
                .members(
                    selections.map {
                        (
                            $0.name,
                            .members([("all", $0.all.item), ("of", $0.ofSome.item)])
                        )
                    })
            ),
            ("steps", .array(steps.map(\.definition))),
        ])
    }
}

extension Act.Step {
    fileprivate var definition: JSON {
        .members([
            ("summary", .string(summary)), ("sql", query.item), ("returning", returning.map { .string($0) }),
            ("alias", alias.map { .string($0) }),
            (
                "values",
                values.map { values in
                    .members([
                        ("table", .string(values.table)), ("columns", .strings(values.columns)),
                        ("sql", values.query.item),
                    ])
                }
            ),
            (
                "targets",
                .array(
                    targets.map { target in
                        .members([
                            ("schema", .string(target.table.schema)), ("name", .string(target.table.name)),
                            ("heirs", .bool(target.reachesHeirs)),
                            ("verb", .string(target.verb.rawValue)),
                        ])
                    })
            ), ("counted", counted.map { JSON($0) }), ("confined", .bool(isConfined)),
            ("keeps", .bool(keeps)),
        ])
    }
}

extension ActSurroundings {
    /// The shared definition of an app's actions, for the table `usher.act`; the database adds the search path.
    var definition: JSON {
        .members([
            ("key_type", .string(keyType)),
            ("root", root.map { .members($0.members + [("key", .string($0.name))]) }),
            (
                "emails",
                .array(
                    emails.map { email in
                        .members(
                            email.column.members + [
                                ("column", .string(email.column.name)), ("key", .string(email.key)),
                            ])
                    })
            ), ("secrets", .strings(secrets)), ("settings", .strings(settings)),
            ("labels", labels?.item),
            (
                "decisions",
                .array(decisions.map { .members([("name", .string($0.name)), ("sql", $0.query.item)]) })
            ),
        ])
    }
}

extension ActSurroundings.Column {
    fileprivate var members: [(String, JSON?)] { [("schema", .string(schema)), ("table", .string(table))] }
}

extension ComposedQuery {
    fileprivate var item: JSON { .string(sql) }
}

extension ParameterDeclaration {
    fileprivate var definition: JSON {
        .members([
            ("name", .string(name)), ("type", .string(boundType)), ("optional", .bool(isOptional)),
            ("choices", .strings(choices)), ("low", range.map { JSON($0.lowerBound) }),
            ("high", range.map { JSON($0.upperBound) }), ("default", defaultValue.map { .string($0) }),
            ("secret", .bool(isSecret)), ("names", names.map { .string($0.word) }),
        ])
    }
}

extension App.Subject {
    fileprivate var word: String {
        switch self {
        case .users: "users"
        case .object: "object"
        case .nothing: "nothing"
        }
    }

    fileprivate var noun: String? { if case .object(let noun) = self { noun } else { nil } }
}
