internal import AppFile
package import Asking
internal import Catalog
internal import PQ

/// Finds the users of an app with the indexes that the database has.
package struct UserDirectory {
    private(set) var directory: Directory
    /// The Postgres type of the users' key, as SQL for a cast.
    let keyType: String
    private let columns: [DirectorySource.Base: AddressColumn]

    /// The columns that usher looks up in the catalog before it searches the users of the apps.
    static func names(of apps: [App]) -> [AddressColumn.Name] {
        var seen: Set<AddressColumn.Name> = []
        return apps.flatMap { bases(of: $0, $0.users.source) }.map(\.name).filter { seen.insert($0).inserted }
    }

    private static func bases(of app: App, _ source: DirectorySource?) -> [DirectorySource.Base] {
        guard let source else { return [] }
        let terms = ([app.users.key] + app.users.emails + app.users.search).compactMap { source.terms(of: $0) }
        return terms.joined().compactMap(\.base)
    }

    /// Creates the directory of an app from catalog data about its columns.
    ///
    /// The initializer calls `keyType` if the catalog data lacks the type of the key.
    init(
        _ app: App, _ known: [AddressColumn.Name: AddressColumn], bindings: [String: Binding] = [:],
        keyType: () throws(Failure) -> String
    ) throws(Failure) {
        var directory = Directory(app, bindings)
        var columns: [DirectorySource.Base: AddressColumn] = [:]
        for base in Self.bases(of: app, directory.source) { columns[base] = known[base.name] }
        for (base, column) in columns {
            directory.leads[base] = column.lowered.first(where: \.finds)?.lead
            if let index = column.lowered.first(where: { $0.prefix != nil }) {
                directory.sorted[base] = (index.prefix == .range, index.lead)
            }
            directory.trigrams[base] = column.lowered.lazy.compactMap(\.trigrams).first
        }
        self.directory = directory
        self.columns = columns
        if let base = directory.source?.key.base, base.isColumn, let type = columns[base]?.type {
            self.keyType = type
        } else {
            self.keyType = try keyType()
        }
    }

    private var users: App.Users { directory.app.users }

    /// A copy that searches only emails.
    var ofEmails: UserDirectory {
        var copy = self
        copy.directory.app.users.search = users.emails
        return copy
    }

    // MARK: Kinds of lookup

    /// The kinds of lookup for a text, by key or by email; the most likely kind comes first.
    func ways(for text: String) -> [Directory.Way] {
        let key: [Directory.Way] =
            switch KeyText.fits(text, keyType) {
            case true?: [.key]
            case false?: []
            case nil: [.keyText]
            }
        // A unique index without `lower` shows that the app itself distinguishes emails by letter case.
        let address: [Directory.Way] = knowsLetters ? [.letters, .address] : [.address]
        return text.contains("@") ? address + key : key + address
    }

    /// The query that looks up many texts.
    func resolution(ofMany texts: [String]) -> ComposedQuery {
        let keys = texts.filter { KeyText.fits($0, keyType) ?? false }
        // For some types, only Postgres can tell whether a text is a key.
        let isCheckable = KeyText.fits("", keyType) != nil
        return directory.resolution(
            ofMany: .keys(texts, type: "text"), keys: isCheckable ? .keys(keys, type: keyType) : nil)
    }

    /// True if a text looks like a complete key or email, so that no prefix search is needed.
    func isWhole(_ text: String) -> Bool {
        // If the key's type accepts any text, usher can't tell whether a key is complete.
        text.contains("@") || KeyText.fits(text, keyType) == true && !KeyText.isAnyText(keyType)
    }

    /// True if a text is almost certainly a complete email or key, and not a part of a longer value.
    func isName(_ text: String) -> Bool {
        // A short number can be a part of any value, so a key must have at least 20 characters.
        Self.isAddress(text) && findsAddresses
            || text.utf8.count >= 20 && KeyText.fits(text, keyType) == true && isWhole(text)
    }

    private static func isAddress(_ text: String) -> Bool {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides[0].isEmpty && sides[1].dropLast().dropFirst().contains(".")
    }

    /// The table columns that provide some columns of `@users`; an element is nil if usher doesn't know the table
    /// column.
    private func columns(of names: [String]) -> [AddressColumn?] {
        guard let terms = directory.source?.terms(of: names) else { return [nil] }
        return terms.filter { !$0.isConstant }.map { $0.base.flatMap { columns[$0] } }
    }

    /// True if every email column of a large table has an index, but some indexes find an email only in its exact
    /// letter case.
    private var knowsLetters: Bool {
        let columns = columns(of: users.emails)
        return !columns.contains { $0.map { $0.scansForAddresses && $0.scansForLetters } ?? true }
            && columns.contains { $0?.scansForAddresses ?? false }
    }

    /// The queries for users with the exact text in a search column, except columns that need a scan of a large table.
    func callings(_ text: String, limit: Int) -> [(column: String, query: ComposedQuery)] {
        callable.compactMap { column in
            let known = columns(of: [column])
            let isLowered = !known.contains { $0?.scansForAddresses ?? isOfMany }
            let isWritten = !known.contains { $0?.scansForLetters ?? isOfMany }
            guard isLowered || isWritten else { return nil }
            return (
                column, directory.resolution(of: text, by: isLowered ? .address : .letters, in: column, limit: limit)
            )
        }
    }

    /// The search columns that usher didn't search by exact value.
    func uncalled(by looked: [String]) -> [String] { callable.filter { !looked.contains($0) } }

    /// The search columns, and a key that is a text, because operators type ids of other systems in any letter case.
    private var callable: [String] {
        (KeyText.isAnyText(keyType) ? [users.key] : [])
            + users.search.filter { $0 != users.key && !users.emails.contains($0) }
    }

    // MARK: Searching

    /// True if a scan of all users takes long.
    var isOfMany: Bool { columns.values.contains(where: \.isOfMany) }

    /// True if there are so few users that usher can search them without an index.
    var isSearchable: Bool { !columns.values.contains { $0.rows > TableSize.searchable } }

    /// The query for users with all words of a text, or with parts of the words; nil without an index if scans aren't
    /// allowed.
    ///
    /// With `readsAll`, the query scans all users; otherwise, it uses trigram indexes.
    func resembling(
        words: [String], near name: String, pieces: [String], readsAll: Bool, limit: Int
    ) -> ComposedQuery? {
        let terms = (directory.source?.terms(of: users.search) ?? []).filter {
            directory.knowsParts(of: $0) && $0.base != nil
        }
        guard readsAll || !terms.isEmpty else { return nil }
        return directory.resembling(
            words: words, near: name, pieces: pieces, among: readsAll ? nil : terms, keyType: keyType, limit: limit)
    }

    /// True if usher finds emails without a full scan.
    var findsAddresses: Bool { !columns(of: users.emails).contains { $0?.scansForAddresses ?? true } }

    /// The query for users with a column that begins with a text or contains it, through indexes, and the columns that
    /// have no such index; nil if there are few users or no index.
    func matching(_ text: String, anywhere: Bool, limit: Int) -> (query: ComposedQuery, unsearched: [String])? {
        guard isOfMany, let source = directory.source,
            anywhere ? text.unicodeScalars.count >= 3 : text.unicodeScalars.first?.isASCII == true
        else { return nil }
        let served = anywhere ? directory.knowsParts : directory.knowsBeginnings
        let terms = (source.terms(of: users.search.filter { source.terms(of: $0) != nil }) ?? []).filter(served)
        let keys = anywhere ? nil : KeyText.beginning(with: text, keyType)
        guard !terms.isEmpty || keys != nil else { return nil }
        var unsearched = users.search.filter { !(source.terms(of: $0)?.allSatisfy(served) ?? false) }
        if keys == nil, KeyText.mayContain(text, keyType), !users.search.contains(users.key) {
            unsearched.insert(users.key, at: 0)
        }
        let query =
            anywhere
            ? directory.containing(text, in: terms, keyType: keyType, limit: limit)
            : directory.beginning(with: text, in: terms, keys: keys, keyType: keyType, limit: limit)
        return (query, unsearched)
    }

    // MARK: Missing indexes

    /// True if usher knows the table column of every email; a column of a view has no index.
    var knowsAddresses: Bool { !columns(of: users.emails).contains(nil) }

    /// True if an email is computed by an expression, so that no index of a column finds the email.
    var computesAddresses: Bool {
        directory.source?.terms(of: users.emails)?.contains { !$0.isConstant && $0.base == nil } ?? true
    }

    /// The searches for users that need an index on a large table; the most useful index comes first.
    enum Search: CaseIterable { case address, beginning, anywhere }

    /// The columns of large tables that have no index for a search.
    func columns(withoutIndexFor search: Search) -> [AddressColumn] {
        var seen: Set<AddressColumn.Name> = []
        return columns(of: search == .address ? users.emails : users.search).compactMap { $0 }.filter { column in
            let hasIndex =
                switch search {
                case .address: !column.scansForAddresses
                case .beginning: column.lowered.contains { $0.prefix != nil }
                case .anywhere: column.lowered.contains { $0.trigrams != nil }
                }
            return column.isOfMany && !hasIndex && seen.insert(column.name).inserted
        }
    }
}

extension DirectorySource.Base {
    /// The column or JSON value as a name for catalog queries.
    var name: AddressColumn.Name {
        AddressColumn.Name(schema: table.schema, table: table.name, column: column, expression: expression)
    }
}

extension Inquiry {
    /// The directory of the users, with the indexes that help to find them.
    package func users() throws(Failure) -> UserDirectory {
        if let directory { return directory }
        let known: [AddressColumn.Name: AddressColumn]
        if let knownColumns {
            known = knownColumns
        } else {
            let names = UserDirectory.names(of: [app])
            let answers = try transaction.ask(AddressColumn.queries(about: names))
            known = try failing(try AddressColumn.all(names, of: try Relations(answers[0]), answers[1]))
        }
        let found = try UserDirectory(app, known, bindings: bindings) { () throws(Failure) in try keyType(of: .users) }
        directory = found
        return found
    }

    /// The emails of users by key, except emails that are missing or that usher can't read.
    package func addresses(ofKeys keys: [String], isLast: Bool = false) throws(Failure) -> [String: String] {
        if keys.isEmpty { return [:] }
        let users = try users()
        let query = users.directory.addresses(ofKeys: .keys(keys, type: users.keyType))
        guard case .success(let rows) = try read([query], isLast: isLast)[0].reading else { return [:] }
        let pairs = rows.rows.compactMap { row in
            row.values[0].text.flatMap { key in row.values[1].text.map { (key, $0) } }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
