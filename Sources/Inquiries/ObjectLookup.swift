package import AppFile
package import Asking
package import PQ

/// Finds an object of a kind by its key, an identifier, or a prefix of its key.
package struct ObjectLookup {
    package let object: App.ObjectKind
    private let inquiry: Inquiry

    package init(_ noun: String, in inquiry: Inquiry) throws(Failure) {
        object = try inquiry.app.kind(noun)
        self.inquiry = inquiry
    }

    package func row(named text: String, isLast: Bool = false) throws(Failure) -> Row {
        let type = try inquiry.keyType(of: .object(object.noun))
        if let row = try row(key: text, type, isLast) { return row }
        let key = try key(of: text, type)
        if let key, let row = try row(key: key, type, isLast) { return row }
        throw inquiry.app.missing(object, text)
    }

    /// Finds the object, and its problems if `checking` is true.
    package func row(named text: String, checking: Bool) throws(Failure) -> (row: Row, inbox: Inbox) {
        try inquiry.requireWhole([object.select])
        let isChecked = checking && inquiry.app.checks.contains { $0.subject == .object(object.noun) }
        let row = try row(named: text, isLast: !isChecked)
        if !isChecked { return (row, Inbox()) }
        return (row, try InboxQuestion.inbox(of: object, key: row.shown(object.key)?.text ?? text, in: inquiry))
    }

    private func row(key: String, _ type: String, _ isLast: Bool) throws(Failure) -> Row? {
        guard try inquiry.transaction.accepts(key, as: type) else { return nil }
        inquiry.reopen()
        return try inquiry.read([inquiry.queries.object(object, key: key)], isLast: isLast)[0].get().first
    }

    /// The key of the only object with a name or with the beginning of a key.
    private func key(of text: String, _ type: String) throws(Failure) -> String? {
        let identifiers = inquiry.app.identifiers.filter { $0.object.noun == object.noun }
        let names = identifiers.filter { !$0.isKey }.map { ($0, App.Likeness.same) }
        let range = text.utf8.count >= 8 ? KeyText.beginning(with: text, type) : nil
        let keys = identifiers.filter(\.isKey).compactMap { key in range.map { (key, App.Likeness.keys($0)) } }
        let queries = (names + keys).map { identifier, likeness in
            inquiry.queries.objects(with: text, as: identifier, likeness, limit: App.mostCandidates + 1)
        }
        if queries.isEmpty { return nil }
        inquiry.reopen()
        let answers = try inquiry.read(queries, isLast: false)
        for stage in [answers.prefix(names.count), answers.dropFirst(names.count)] {
            let rows = stage.flatMap { answer in (try? answer.reading.get())?.rows ?? [] }
            let found = Dictionary(
                rows.compactMap { row in row.values[1].text.map { ($0, row.values[2].text ?? "") } }
            ) { first, _ in first }
            if found.count == 1 { return found.keys.first }
            guard found.count > 1 else { continue }
            let lines = found.sorted { $0.key < $1.key }.prefix(App.mostCandidates).map { "\($0.key)  \($0.value)" }
            throw Failure(
                .conflict, "\(text) is the name of \(App.candidates(found.count)) \(object.noun) objects",
                hint: "write the \(object.key) of one of these objects",
                details: lines)
        }
        for answer in answers {
            if case .failure(let failure) = answer.reading, failure.isLate { throw failure }
        }
        return nil
    }
}

extension App {
    /// The kind of object with a name; throws if the app has no such kind.
    func kind(_ noun: String) throws(Failure) -> ObjectKind {
        guard let object = objects.first(where: { $0.noun == noun }) else {
            throw Failure(unknown: "\(name) has no kind of object \(noun)", known: objects.map(\.noun))
        }
        return object
    }
}
