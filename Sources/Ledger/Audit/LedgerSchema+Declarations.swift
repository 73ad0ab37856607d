internal import EmbeddedSQL
internal import PQ

extension LedgerSchema {
    /// The functions, triggers and tables that the schema has when it is as this program makes it.
    static let declarations = declarations(of: statements.map(\.sql))

    /// The functions that replace some of them where Citus is.
    static let declarationsOfCitus = declarations(
        of: statements(in: EmbeddedSQL.text(of: citus), named: citus).map(\.sql))

    /// What statements make in the schema, as JSON.
    package static func declarations(of statements: [String]) -> String {
        let pins = statements.flatMap(Self.pins)
        let enabled = Dictionary(statements.compactMap(enabling), uniquingKeysWith: { $1 })
        return JSONPayload.object([
            ("functions", .objects(statements.compactMap { DeclaredFunction($0)?.pinned(by: pins).payload })),
            (
                "triggers",
                .objects(
                    statements.compactMap { DeclaredTrigger($0) }.map { $0.payload(enabled: enabled[$0.name] ?? "O") })
            ),
            ("tables", .list(statements.compactMap(table))),
        ])
    }

    /// What a statement has every function that runs as its owner say by itself, as `name=value`.
    private static func pins(_ statement: String) -> [String] {
        statement.split(separator: "alter function %s set ").dropFirst().map { rest in
            let setting = rest.prefix { !$0.isNewline }.split(separator: " = ", maxSplits: 1)
            let value = setting.dropFirst().joined().split(separator: "', definer").first ?? ""
            return (setting.first ?? "").lowercased() + "=" + value.filter { $0 != "'" && $0 != " " }
        }
    }

    private static func table(_ statement: String) -> String? {
        var reader = StatementReader(statement)
        guard reader.take("create", "table") else { return nil }
        reader.take("if", "not", "exists")
        return reader.takeName()
    }

    /// The trigger that a statement enables, and the letter of `tgenabled` for it.
    private static func enabling(_ statement: String) -> (trigger: String, letter: String)? {
        var reader = StatementReader(statement)
        guard reader.take("alter", "table"), reader.takeName() != nil, reader.take("enable") else { return nil }
        let letter = reader.take("always") ? "A" : reader.take("replica") ? "R" : "O"
        return reader.take("trigger") ? (reader.take(), letter) : nil
    }
}
