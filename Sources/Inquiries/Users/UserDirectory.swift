internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The directory of an app with what the database tells about the way to its users.
package struct UserDirectory {
    let directory: Directory
    /// The Postgres type of the key as one to cast to.
    let keyType: String
    private let columns: [DirectorySource.Base: AddressColumn]

    /// The columns that the catalog is asked about before the users of an app are searched.
    static func names(of apps: [App]) -> [AddressColumn.Name] {
        var seen: Set<AddressColumn.Name> = []
        return apps.flatMap { bases(of: $0, $0.users.source) }.map(\.name).filter { seen.insert($0).inserted }
    }

    /// Those of them that hold addresses, each once.
    static func addressNames(of app: App) -> [AddressColumn.Name] {
        (app.users.source?.terms(of: app.users.emails) ?? []).compactMap { $0.base?.name }
    }

    private static func bases(of app: App, _ source: DirectorySource?) -> [DirectorySource.Base] {
        guard let source else { return [] }
        let terms = ([app.users.key] + app.users.emails + app.users.search).compactMap { source.terms(of: $0) }
        return terms.joined().compactMap(\.base)
    }

    /// The directory with what the catalog says of its columns; `keyType` is asked where the catalog does not know.
    init(
        _ app: App, _ known: [AddressColumn.Name: AddressColumn], keyType: () throws(Failure) -> String
    ) throws(Failure) {
        var directory = Directory(app)
        var columns: [DirectorySource.Base: AddressColumn] = [:]
        for base in Self.bases(of: app, directory.source) { columns[base] = known[base.name] }
        for (base, column) in columns {
            let lowered = column.indexes.filter { $0.isLowered && $0.finds }
            if !lowered.contains(where: { $0.lead == nil }), let lead = lowered.first?.lead {
                directory.leads[base] = lead
            }
            let sorted = column.indexes.filter { $0.isLowered && $0.sorts }
            if let index = sorted.first(where: { $0.lead == nil }) ?? sorted.first {
                directory.orders[base] = (
                    index.isPattern ? .pattern : .codePoints(collation: index.collation), index.lead
                )
            }
            directory.trigrams[base] =
                column.indexes.first { $0.isLowered && $0.isTrigram && $0.isComplete && $0.lead == nil }?.operatorSchema
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

    // MARK: Ways

    /// The ways to look a text up as the name of a user, the likeliest first.
    func ways(for text: String) -> [Way] {
        let key: [Way] =
            switch KeyText.fits(text, keyType) {
            case true?: [.typed]
            case false?: []
            case nil: [.written]
            }
        // A unique index on the letters as they are says that the app itself tells its users apart by them.
        let address: [Way] = knowsLetters ? [.letters, .address] : [.address]
        return text.contains("@") ? address + key : key + address
    }

    /// The kind of comparison for a text.
    enum Way { case typed, written, letters, address }

    /// The statement that looks a text up in one way.
    func resolution(
        of text: String, by way: Way, limit: Int = App.mostCandidates + 1, bindings: [String: Binding]
    ) -> ComposedQuery {
        switch way {
        case .typed: directory.resolution(of: text, by: .key, limit: limit, bindings: bindings)
        case .written: directory.resolution(ofWritten: text, limit: limit, bindings: bindings)
        case .letters: directory.resolution(of: text, by: .letters, limit: limit, bindings: bindings)
        case .address: directory.resolution(of: text, by: .address, limit: limit, bindings: bindings)
        }
    }

    /// The statement that looks many texts up.
    func resolution(ofMany texts: [String], bindings: [String: Binding]) -> ComposedQuery {
        let keys = texts.filter { KeyText.fits($0, keyType) ?? false }
        let written = KeyText.fits("", keyType) == nil ? texts : []
        return directory.resolution(ofMany: texts, keys: keys, written: written, type: keyType, bindings: bindings)
    }

    /// True if a text looks like the whole of a key or an address, so that nobody asks for more before it fails.
    func isWhole(_ text: String) -> Bool {
        // Any text can be a key that is one.
        text.contains("@") || KeyText.fits(text, keyType) == true && !KeyText.isAnyText(keyType)
    }

    /// True if a text is an address or a key from end to end, so that whoever has it as a part is hardly meant.
    func isName(_ text: String) -> Bool {
        // A number may be a part of anything.
        Self.isAddress(text) && findsAddresses
            || text.utf8.count >= 20 && KeyText.fits(text, keyType) == true && isWhole(text)
    }

    private static func isAddress(_ text: String) -> Bool {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides[0].isEmpty && sides[1].dropLast().dropFirst().contains(".")
    }

    /// True if a text that is looked up in a way is most likely found.
    func isLikely(_ way: Way, for text: String) -> Bool { way == .typed || text.contains("@") }

    /// The columns of one or more columns of the directory; nil where it leads to no column of a table.
    private func columns(of names: [String]) -> [AddressColumn?] {
        guard let terms = directory.source?.terms(of: names) else { return [nil] }
        return terms.filter { !$0.isConstant }.map { $0.base.flatMap { columns[$0] } }
    }

    /// True if every address stands in an index, but not every one in lower case.
    private var knowsLetters: Bool {
        let columns = columns(of: users.emails)
        return !columns.contains { $0.map { !$0.findsAddresses && !$0.findsLetters } ?? true }
            && columns.contains { $0.map { !$0.findsAddresses && $0.isOfMany } ?? false }
    }

    /// The statements that look for whoever is called so: one a column for searching, where that reads no great table.
    func callings(
        _ text: String, limit: Int, bindings: [String: Binding]
    ) -> [(column: String, query: ComposedQuery)] {
        callable.compactMap { column in
            let known = columns(of: [column])
            let isLowered = !known.contains { $0.map { $0.isOfMany && !$0.findsAddresses } ?? isOfMany }
            let isWritten = !known.contains { $0.map { $0.isOfMany && !$0.findsLetters } ?? isOfMany }
            guard isLowered || isWritten else { return nil }
            let query = directory.resolution(
                of: text, in: column, inLetters: !isLowered, limit: limit, bindings: bindings)
            return (column, query)
        }
    }

    /// The columns with names of users that were not searched.
    func uncalled(by looked: [String]) -> [String] { callable.filter { !looked.contains($0) } }

    private var callable: [String] { users.search.filter { $0 != users.key && !users.emails.contains($0) } }

    /// The table that the keys come from, behind views as well, if that holds each only once.
    var onlyOnce: TableName? {
        guard let base = directory.source?.key.base, base.isColumn, let column = columns[base],
            column.indexes.contains(where: { $0.isUnique && $0.isComplete && !$0.isLowered && $0.lead == nil })
        else { return nil }
        return TableName(schema: column.name.schema, name: column.name.table)
    }

    // MARK: Searching

    /// True if the directory is so big that reading all of it takes its time.
    var isOfMany: Bool { columns.values.contains(where: \.isOfMany) }

    /// True if the directory is small enough to be searched without an index.
    var isSearchable: Bool { !columns.values.contains { $0.rows > TableSize.searchable } }

    /// The users who have all words of a text or some of its pieces, by reading all users where that may be, else by index;
    /// nil where none helps.
    func resembling(
        words: [String], near name: String, pieces: [String], readsAll: Bool, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery? {
        let terms = (directory.source?.terms(of: users.search) ?? []).filter {
            directory.knowsParts(of: $0) && $0.base != nil
        }
        guard readsAll || !terms.isEmpty else { return nil }
        return directory.resembling(
            words: words, near: name, pieces: pieces, among: readsAll ? nil : terms, keyType: keyType, limit: limit,
            bindings: bindings)
    }

    /// True if addresses are found without reading all users.
    var findsAddresses: Bool {
        !columns(of: users.emails).contains { $0.map { $0.isOfMany && !$0.findsAddresses } ?? true }
    }

    /// The users whose key begins with a text, where all such keys stand together.
    func keys(beginning text: String, limit: Int, bindings: [String: Binding]) -> ComposedQuery? {
        KeyText.beginning(with: text, keyType).map { range in
            directory.beginning(
                with: text, in: [], keys: range, keyType: keyType, limit: limit, bindings: bindings)
        }
    }

    /// The users one of whose columns begins with a text, by the indexes that know, where users are many; nil where there are none.
    ///
    /// Besides, the columns that no index knows by their beginning.
    func beginning(
        with text: String, limit: Int, bindings: [String: Binding]
    ) -> (query: ComposedQuery, unsearched: [String])? {
        guard isOfMany, let source = directory.source, text.unicodeScalars.first?.isASCII == true else { return nil }
        let served = directory.knowsBeginnings
        let terms = (source.terms(of: users.search.filter { source.terms(of: $0) != nil }) ?? []).filter(served)
        let keys = KeyText.beginning(with: text, keyType)
        guard !terms.isEmpty || keys != nil else { return nil }
        var unsearched = users.search.filter { !(source.terms(of: $0)?.allSatisfy(served) ?? false) }
        if keys == nil, KeyText.mayContain(text, keyType) { unsearched.insert(users.key, at: 0) }
        let query = directory.beginning(
            with: text, in: terms, keys: keys, keyType: keyType, limit: limit, bindings: bindings)
        return (query, unsearched)
    }

    /// The users one of whose columns contains a text, by the indexes that know parts; besides, what they do not search.
    func containing(
        _ text: String, limit: Int, bindings: [String: Binding]
    ) -> (query: ComposedQuery, unsearched: [String])? {
        guard isOfMany, text.unicodeScalars.count >= 3, let terms = directory.source?.terms(of: users.search),
            !terms.isEmpty
        else { return nil }
        let served = terms.filter(directory.knowsParts)
        guard !served.isEmpty else { return nil }
        var unsearched = users.search.filter {
            !(directory.source?.terms(of: [$0])?.allSatisfy(directory.knowsParts) ?? false)
        }
        if KeyText.mayContain(text, keyType), !users.search.contains(users.key) { unsearched.insert(users.key, at: 0) }
        return (
            directory.containing(text, in: served, keyType: keyType, limit: limit, bindings: bindings), unsearched
        )
    }

    // MARK: Missing indexes

    /// True if the catalog has the columns that the emails come from; it has no indexes of views.
    var knowsAddresses: Bool { !columns(of: users.emails).contains(nil) }

    /// True if an email is computed, so that no index of a column finds it.
    var computesAddresses: Bool {
        directory.source?.terms(of: users.emails)?.contains { !$0.isConstant && $0.base == nil } ?? true
    }

    /// The indexes that are missing for finding users by address, by beginning, and anywhere, the most useful first.
    func missing(_ purposes: [MissingIndex.Purpose]) -> [MissingIndex] {
        purposes.flatMap { purpose in
            let names = purpose == .address ? users.emails : users.search
            var seen: Set<AddressColumn.Name> = []
            return columns(of: names).compactMap { column -> MissingIndex? in
                guard let column, column.isOfMany, !column.serves(purpose), seen.insert(column.name).inserted else {
                    return nil
                }
                return MissingIndex(purpose: purpose, column: column)
            }
        }
    }
}

extension DirectorySource.Base {
    /// The base as a question to the catalog.
    var name: AddressColumn.Name {
        AddressColumn.Name(schema: table.schema, table: table.name, column: column, expression: expression)
    }
}
