internal import AppFile
internal import Ledger

extension Act {
    /// The definition in its row.
    var definition: JSONPayload.Item {
        .members([
            ("command", .text(command)), ("subject", .text(subject.word)), ("noun", subject.noun.map { .text($0) }),
            ("key_type", keyType.map { .text($0) }), ("grade", .text(grade.rawValue)),
            ("approve", approver.map { .text($0.name) }), ("ceiling", ceiling.map { .number($0) }),
            ("final", .flag(isFinal)),
            ("parameters", .array(parameters.map(\.definition))), ("refusals", .number(refusals)),
            ("judgement", judgement?.item), ("listed", listed?.item), ("each", each?.item), ("owners", owners?.item),
            ("named", named?.item), ("column", column.map { .text($0) }),
            ("impacts", .array(impacts.map(\.item))),
            (
                "expects",
                .array(
                    expects.enumerated().map { number, expectation in
                        let about = abouts.indices.contains(number) ? abouts[number] : nil
                        return .members([
                            ("decision", .text(expectation.decision)), ("about", about?.item),
                            ("outcomes", .list(expectation.outcomes)),
                        ])
                    })
            ),
            (
                "selections",
                .members(
                    selections.map {
                        (
                            $0.name,
                            .members([("all", $0.all.item), ("of", $0.ofSome.item), ("judged", $0.judged?.item)])
                        )
                    })
            ),
            ("steps", .array(steps.map(\.definition))),
        ])
    }
}

extension Act.Step {
    fileprivate var definition: JSONPayload.Item {
        .members([
            ("summary", .text(summary)), ("sql", query.item), ("returning", returning.map { .text($0) }),
            ("alias", alias.map { .text($0) }),
            (
                "values",
                values.map { values in
                    .members([
                        ("table", .text(values.table)), ("columns", .list(values.columns)), ("sql", values.query.item),
                    ])
                }
            ),
            (
                "targets",
                .array(
                    targets.map { target in
                        .members([
                            ("schema", .text(target.table.schema)), ("name", .text(target.table.name)),
                            ("heirs", .flag(target.reachesHeirs)),
                            ("verb", .text(target.verb.rawValue)),
                        ])
                    })
            ), ("counted", counted.map { .number($0) }), ("confined", .flag(isConfined)),
            ("keeps", .flag(keeps)),
        ])
    }
}

extension ActSurroundings {
    /// The definition in the row of the kind `app`; the search path is added later.
    var definition: JSONPayload.Item {
        .members([
            ("key_type", .text(keyType)),
            ("root", root.map { .members($0.members + [("key", .text($0.name))]) }),
            (
                "emails",
                .array(
                    emails.map { email in
                        .members(
                            email.column.members + [("column", .text(email.column.name)), ("key", .text(email.key))])
                    })
            ), ("secrets", .list(secrets)), ("settings", .list(settings)),
            ("labels", labels?.item),
            (
                "decisions",
                .array(decisions.map { .members([("name", .text($0.name)), ("sql", $0.query.item)]) })
            ),
        ])
    }
}

extension ActSurroundings.Column {
    fileprivate var members: [(String, JSONPayload.Item?)] { [("schema", .text(schema)), ("table", .text(table))] }
}

extension ComposedQuery {
    fileprivate var item: JSONPayload.Item { .text(sql) }
}

extension ParameterDeclaration {
    fileprivate var definition: JSONPayload.Item {
        .members([
            ("name", .text(name)), ("type", .text(boundType)), ("optional", .flag(isOptional)),
            ("choices", .list(choices)), ("low", range.map { .number($0.lowerBound) }),
            ("high", range.map { .number($0.upperBound) }), ("default", defaultValue.map { .text($0) }),
            ("secret", .flag(isSecret)), ("names", names.map { .text($0.word) }),
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
