internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The kinds of objects, which may belong to users, and the columns by which they are known.
struct Belongings {
    /// The columns that keys are, by noun: what the catalog tells of the tables tells their types.
    private let columns: [String: RelationName]
    /// Those whose keys are nothing that the catalog knows.
    private let objects: [App.ObjectKind]
    private let identifiers: [App.Identifier]
    /// What has to be known before a text is held against keys, which are of types of their own: one question for each kind
    /// of which the catalog cannot tell.
    let questions: [ComposedQuery]

    init(_ inquiry: Inquiry) {
        let app = inquiry.app
        let columns = app.objects.reduce(into: [String: RelationName]()) { columns, object in
            columns[object.noun] = app.keyName(of: object)
        }
        let asked = app.objects.filter { columns[$0.noun] == nil }.compactMap { object in
            app.keyType(of: .object(object.noun), bindings: inquiry.bindings).map { (object, $0) }
        }
        self.columns = columns
        objects = asked.map(\.0)
        questions = asked.map(\.1)
        identifiers = app.identifiers
    }

    /// The types of the keys, by noun, after the answers to the questions, and once the tables are known.
    ///
    /// A text that is no key of a type is not held against such keys, for that would be an error in the server's log.
    func types(_ answers: ArraySlice<Answer>, in inquiry: Inquiry) -> [String: String] {
        let known = columns.compactMapValues { inquiry.relations.type(of: $0) }
        return zip(objects, answers).reduce(into: known) { types, asked in
            if case .success(let rows) = asked.1.reading { types[asked.0.noun] = rows.first?.values.first?.text }
        }
    }

    /// Those by which something can be called so.
    func identifiers(of text: String, _ types: [String: String], in inquiry: Inquiry) -> Identifiers {
        held(text, in: inquiry) { identifier in
            if !identifier.isKey { return .letters }
            return types[identifier.object.noun].flatMap { KeyText.fits(text, $0) == true ? .key : nil }
        }
    }

    /// Those of which a text may be the beginning, as far as that is known without reading all.
    func identifiers(beginning text: String, _ types: [String: String], in inquiry: Inquiry) -> Identifiers {
        held(text, in: inquiry) { identifier in
            if !identifier.isKey { return .beginning }
            guard let type = types[identifier.object.noun] else { return nil }
            return KeyText.isAnyText(type) ? .beginning : KeyText.beginning(with: text, type).map { .keys($0) }
        }
    }

    /// Those of which a text may be a part.
    func identifiers(around text: String, in inquiry: Inquiry) -> Identifiers {
        held(text, in: inquiry) { $0.isKey ? nil : .inside }
    }

    /// Those by which something can be called so that is tied to nobody.
    func identifiers(untied text: String, _ types: [String: String], in inquiry: Inquiry) -> Identifiers {
        held(text, in: inquiry, areTied: false) { identifier in
            if !identifier.isKey { return .same }
            return types[identifier.object.noun].flatMap { KeyText.fits(text, $0) == true ? .key : nil }
        }
    }

    /// The columns of which nothing is kept from the role, as far as the text may stand there.
    private func held(
        _ text: String, in inquiry: Inquiry, areTied: Bool = true, _ likeness: (App.Identifier) -> App.Likeness?
    ) -> Identifiers {
        let asked = identifiers.filter {
            ($0.object.hasOwner || !areTied) && inquiry.hiding([$0.object.select]) == nil
        }
        return Identifiers(
            text: text,
            columns: asked.compactMap { identifier in likeness(identifier).map { (identifier, $0) } },
            areTied: areTied)
    }

    /// The columns that are held against a text.
    struct Identifiers {
        let text: String
        var columns: [(identifier: App.Identifier, likeness: App.Likeness)]
        /// Whether what belongs to somebody is looked for, or what belongs to nobody.
        let areTied: Bool

        /// How many statements it takes.
        var count: Int { columns.count }

        /// The statements that ask whose what the text names is.
        func questions(_ limit: Int, in inquiry: Inquiry) -> [ComposedQuery] {
            columns.map { identifier, likeness in
                areTied
                    ? inquiry.app.owners(of: text, by: identifier, likeness, limit: limit, bindings: inquiry.bindings)
                    : inquiry.app.untied(of: text, by: identifier, likeness, limit: limit, bindings: inquiry.bindings)
            }
        }

        /// Those that the planner expects to answer without reading much.
        func quick(_ limit: Int, in inquiry: Inquiry) throws(Failure) -> Identifiers {
            split(by: try inquiry.plans(of: questions(limit, in: inquiry))).quick
        }

        /// The same, and the others with their plans, by how the planner would answer the questions of all.
        func split(
            by plans: some Sequence<ServerPlan?>
        ) -> (quick: Identifiers, slow: Identifiers, plans: [ServerPlan]) {
            let slow = zip(columns, plans).filter { !isQuick($0, $1) }
            var parts = (quick: self, slow: self, plans: slow.compactMap(\.1))
            parts.quick.columns = zip(columns, plans).filter(isQuick).map(\.0)
            parts.slow.columns = slow.map(\.0)
            return parts
        }

        private func isQuick(_ column: (identifier: App.Identifier, likeness: App.Likeness), _ plan: ServerPlan?)
            -> Bool
        {
            guard let plan else { return false }
            // What nothing has in it, a planner who counts on finding it soon reads to its end.
            if case .inside = column.likeness { return !plan.isLong }
            return plan.isQuick
        }

        /// Whom they lead to; what cannot be read leads to nobody.
        func found(_ answers: ArraySlice<Answer>) -> [Inquiry.Identified] {
            rows(answers).compactMap { row, through in
                row.values[0].text.map { Inquiry.Identified(user: $0, through: through) }
            }
        }

        /// What is called so, each thing once.
        func things(_ answers: ArraySlice<Answer>) -> [Identification] {
            var seen: Set<String> = []
            return rows(answers).map(\.through).filter { seen.insert("\($0.noun ?? "") \($0.key ?? "")").inserted }
        }

        private func rows(_ answers: ArraySlice<Answer>) -> [(row: Row, through: Identification)] {
            zip(columns.map(\.identifier), answers).flatMap { identifier, answer -> [(Row, Identification)] in
                guard case .success(let rows) = answer.reading else { return [] }
                return rows.rows.map { row in
                    (
                        row,
                        Identification(
                            noun: identifier.object.noun, column: identifier.isKey ? nil : identifier.column,
                            value: row.values[2].text ?? text, key: row.values[1].text)
                    )
                }
            }
        }
    }
}
