internal import AppFile
internal import Asking
internal import PQ

/// The kinds of objects that belong to users, and the columns by which they are known.
struct Belongings {
    private let objects: [App.ObjectKind]
    private let identifiers: [App.Identifier]
    /// What has to be known before a text is held against keys, which are of types of their own: one question a kind.
    let questions: [ComposedQuery]

    init(_ inquiry: Inquiry) {
        let app = inquiry.app
        let asked = app.objects.filter(\.hasOwner).compactMap { object in
            app.keyType(of: .object(object.noun), bindings: inquiry.bindings).map { (object, $0) }
        }
        objects = asked.map(\.0)
        questions = asked.map(\.1)
        identifiers = app.identifiers
    }

    /// Those by which something can be called so, after the answers to the questions.
    ///
    /// A text that is no key of a type is not held against such keys, for that would be an error in the server's log.
    func identifiers(of text: String, _ answers: ArraySlice<Answer>, in inquiry: Inquiry) -> Identifiers {
        var types: [String: String] = [:]
        for (object, answer) in zip(objects, answers) {
            if case .success(let rows) = answer.reading { types[object.noun] = rows.first?.values.first?.text }
        }
        let fitting = identifiers.filter { identifier in
            !identifier.isKey || types[identifier.object.noun].map { KeyText.fits(text, $0) == true } ?? false
        }
        return Identifiers(text, fitting, in: inquiry)
    }

    /// Those of which a text may be a part.
    func identifiers(around text: String, in inquiry: Inquiry) -> Identifiers {
        Identifiers(text, identifiers.filter { !$0.isKey }, in: inquiry)
    }

    /// The columns that are held against a text, as far as nothing of them is kept from the role.
    struct Identifiers {
        private let text: String
        private let identifiers: [App.Identifier]

        fileprivate init(_ text: String, _ identifiers: [App.Identifier], in inquiry: Inquiry) {
            self.text = text
            self.identifiers = identifiers.filter { inquiry.hiding([$0.object.select]) == nil }
        }

        /// How many statements it takes.
        var count: Int { identifiers.count }

        /// The statements that ask whose what the text names is.
        func questions(_ likeness: App.Likeness, _ limit: Int, in inquiry: Inquiry) -> [ComposedQuery] {
            identifiers.map {
                inquiry.app.owners(of: text, by: $0, likeness, limit: limit, bindings: inquiry.bindings)
            }
        }

        /// Whom they lead to; what cannot be read leads to nobody.
        func found(_ answers: ArraySlice<Answer>) -> [Inquiry.Identified] {
            zip(identifiers, answers).flatMap { identifier, answer -> [Inquiry.Identified] in
                guard case .success(let rows) = answer.reading else { return [] }
                return rows.rows.compactMap { row in
                    guard let user = row.values[0].text else { return nil }
                    return Inquiry.Identified(
                        user: user,
                        through: Identification(
                            noun: identifier.object.noun, column: identifier.isKey ? nil : identifier.column,
                            value: row.values[2].text ?? text, key: row.values[1].text))
                }
            }
        }
    }
}
