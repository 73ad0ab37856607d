package import AppFile
package import Asking
internal import Catalog
package import Inquiries
package import PQ

/// The lines about what triggers write that speak of nothing any of them does.
package enum WrittenLines {
    package static func findings(
        in app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [AppFinding] {
        guard let account = app.account, !account.written.isEmpty || !account.writers.isEmpty else { return [] }
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let map: AccountMap
        do throws(Failure) {
            map = try AccountMap(
                of: try AccountStart.find(try AccountRoot.Name(account.root), account: account, of: app, asking: ask),
                asking: ask)
        } catch {
            // A root that is not there, or is none, is said already.
            guard [.notFound, .usage].contains(error.kind) else { throw error }
            return []
        }
        let writes = try TriggerWrites(of: map, asking: ask)
        // A rule may do something else than a statement says.
        let rules = map.events.keys.compactMap { map.graph.tables[$0] }.filter(\.isRuled).map(\.path)
        let unread = Set(writes.unread.map(\.function) + rules).sorted()
        let functions = Set(writes.known.compactMap { SQLName.parts(ofPath: $0.function) })
        let nowhere = account.writers.filter { !functions.contains(SQLName.parts(ofPath: $0.function) ?? []) }
        // Where the one that is meant writes, its line would say.
        if !nowhere.isEmpty {
            return nowhere.map {
                AppFinding(.noTrigger(function: $0.function), at: $0.place.narrowed(to: $0.function))
            }
        }
        return account.written.compactMap { line in
            guard let table = map.graph.table(at: line.table) else { return nil }
            let own = writes.all.filter { $0.table == table }
            let rights = Set(own.map(\.right)).subtracting([.delete])
            let place = line.place.narrowed(to: line.table)
            if rights.isEmpty { return AppFinding(.nobodyWrites(table: line.table, unread: unread), at: place) }
            guard line.answer == .remove else { return nil }
            if !rights.contains(.insert) { return AppFinding(.onlyChanges(table: line.table), at: place) }
            let isChanged = own.contains { $0.right == .update && !$0.isDeclared }
            return isChanged && table.key.isEmpty ? AppFinding(.changesToo(table: line.table), at: place) : nil
        }
    }
}
