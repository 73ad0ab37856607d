internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What the database's own triggers write while an account goes: one list of who writes where, in the order in which one thing
/// sets off the next.
///
/// The plan names it, rights are granted by it, an archive that could not be restored is refused by it, and survey, `app check`
/// and residue go by it. What goes, is emptied or is added sets off triggers; what they write, and what cascades from that, sets
/// off others.
struct TriggerWrites {
    /// What happens to rows, by table.
    typealias Events = [UInt32: Set<Graph.Table.Right>]

    /// What a trigger does to the rows of a table.
    struct Write {
        let trigger: TriggerEffect
        let right: Graph.Table.Right
        let table: Graph.Table
        /// The columns that it sets in rows that are there; nil where nobody can read that.
        let columns: Set<String>?
        /// Whether it is done with the rights of whoever changes the table of the trigger.
        let isOwn: Bool
        /// Whether a line says so, since nobody can read it.
        var isDeclared = false
    }

    /// A right that the work of a trigger needs of whoever changes its table.
    struct Use {
        let trigger: TriggerEffect
        let right: NeededRight
        let isDeclared: Bool
    }

    private(set) var all: [Write] = []
    /// What is needed for it, of what is done with the rights of whoever deletes.
    private(set) var uses: [Use] = []
    /// The triggers of all tables in which something happens, whether they fire or not.
    private(set) var known: [TriggerEffect] = []
    /// Those that fire and write where nobody can read, nor a line says.
    private(set) var unread: [TriggerEffect] = []
    private var events: Events
    /// What happened first, and what of that no key of the database sets off.
    private let first: Events
    private let direct: Events
    /// On what each has fired.
    private var fired: [Int: Set<Graph.Table.Right>] = [:]
    /// Many triggers have one function.
    private var bodies: [String: FunctionBody] = [:]

    /// Where they are followed.
    private struct Ground {
        let graph: Graph
        /// What foreign keys do to the rows that refer to those of a table which go.
        let actions: [UInt32: [(child: UInt32, action: Graph.Action)]]
        /// The tables into which functions write that nobody can read, by lines.
        let writers: [[String]: [UInt32]]

        init(_ map: AccountMap) {
            let links = map.links.compactMap { link in link.reference.map { (link, $0.action) } }
            actions = Dictionary(grouping: links, by: \.0.parent).mapValues { $0.map { ($0.0.child, $0.1) } }
            (graph, writers) = (map.graph, map.lines.writers)
        }

        /// The same of a database alone.
        init(_ graph: Graph) {
            actions = Dictionary(grouping: graph.references, by: { graph.whole($0.referenced) }).mapValues {
                $0.map { (graph.whole($0.table), $0.action) }
            }
            (self.graph, writers) = (graph, [:])
        }
    }

    static func query(of events: Events) -> Query { TriggerEffect.query(of: events.keys.sorted()) }

    /// Follows what some events set off in a database, of which the first answer may be there; `direct` are those that no key of
    /// the database sets off.
    init(
        _ events: Events, direct: Events = [:], in map: AccountMap, _ answer: Rows? = nil, asking ask: Ask
    ) throws(Failure) {
        try self.init(events, direct: direct, answer, in: Ground(map), asking: ask)
    }

    init(_ events: Events, direct: Events = [:], in graph: Graph, asking ask: Ask) throws(Failure) {
        try self.init(events, direct: direct, nil, in: Ground(graph), asking: ask)
    }

    private init(
        _ events: Events, direct: Events, _ known: Rows?, in ground: Ground, asking ask: Ask
    ) throws(Failure) {
        (self.events, first, self.direct) = (events, events, direct)
        var asked = Set(events.keys)
        var answer: Rows
        if let known { answer = known } else { answer = try ask([Self.query(of: events)])[0] }
        while true {
            self.known += try decoding { () throws(DecodingFailure) in try TriggerEffect.all(answer) }
            follow(in: ground)
            let open = self.events.filter { !asked.contains($0.key) }
            if open.isEmpty { break }
            asked.formUnion(open.keys)
            answer = try ask([Self.query(of: open)])[0]
        }
        bodies = [:]
    }

    /// The same of what deletions do, of whatever accounts; or, too, of what brings their rows back.
    init(of map: AccountMap, restoring: Bool = false, asking ask: Ask) throws(Failure) {
        var events = map.events
        if restoring { for (table, all) in events where all.contains(.delete) { events[table]?.insert(.insert) } }
        try self.init(events, in: map, asking: ask)
    }

    /// Whether a trigger fires on something of what happens.
    func fires(_ trigger: TriggerEffect) -> Bool { !trigger.fires(on: events).isEmpty }

    /// Those that fire and reach outside of the transaction.
    func outsideEffects(in graph: Graph) -> [NamedTrigger] {
        known.filter { $0.reachesOutside && fires($0) }.map { NamedTrigger($0, in: graph) }
    }

    /// The triggers that run with the rights of whoever deletes, on what is done first or by what they set off themselves.
    var runningAsDeleter: Set<TriggerEffect> {
        var (found, done): (Set<TriggerEffect>, Events) = ([], direct)
        while true {
            let next = known.filter { trigger in
                if found.contains(trigger) { return false }
                return !trigger.fires(on: done).isEmpty || !trigger.cascadesAsOwner && !trigger.fires(on: first).isEmpty
            }
            if next.isEmpty { return found }
            found.formUnion(next)
            for write in all where write.isOwn && found.contains(write.trigger) {
                done[write.table.oid, default: []].insert(write.right)
            }
        }
    }

    private mutating func follow(in ground: Ground) {
        var isOpen = true
        while isOpen {
            isOpen = false
            for (place, trigger) in known.enumerated() {
                let (now, before) = (trigger.fires(on: events), fired[place] ?? [])
                if now == before { continue }
                (fired[place], isOpen) = (now, true)
                let found = writes(of: trigger, on: now, besides: before, in: ground)
                all += found
                for write in found { happens(write.right, in: write.table.oid, ground) }
            }
        }
    }

    /// Takes down what happens in a table, and what keys that refer to rows that go do to theirs.
    private mutating func happens(_ event: Graph.Table.Right, in table: UInt32, _ ground: Ground) {
        guard events[table, default: []].insert(event).inserted, event == .delete else { return }
        for (child, action) in ground.actions[table] ?? [] {
            switch action {
            case .cascade: happens(.delete, in: child, ground)
            case .setNull, .setDefault: happens(.update, in: child, ground)
            case .noAction, .restrict: continue
            }
        }
    }

    /// What a trigger does on some events, and did not on others already, as its sources say, and lines where those do not.
    private mutating func writes(
        of trigger: TriggerEffect, on events: Set<Graph.Table.Right>, besides earlier: Set<Graph.Table.Right>,
        in ground: Ground
    ) -> [Write] {
        var (writes, runsText): ([Write], Bool) = ([], trigger.isUnread)
        for source in trigger.sources {
            let body = bodies[source.text] ?? FunctionBody(source.text)
            bodies[source.text] = body
            if !source.runsAsAnother { note(body.uses, of: trigger, on: events, besides: earlier, in: ground) }
            runsText = runsText || body.runsText
            for writing in body.writings {
                let runs = Set(writing.events.compactMap(Graph.Table.Right.init))
                guard !runs.isDisjoint(with: events), runs.isDisjoint(with: earlier) else { continue }
                guard let table = ground.graph.table(writing.table, beside: trigger.table) else { continue }
                func write(_ right: Graph.Table.Right, _ columns: Set<String>? = nil) {
                    let isOwn = !source.runsAsAnother
                    writes.append(
                        Write(trigger: trigger, right: right, table: table, columns: columns, isOwn: isOwn))
                    guard isOwn, let privilege = Need.Privilege(rawValue: right.rawValue) else { return }
                    uses.append(
                        Use(
                            trigger: trigger, right: .on(privilege, table.oid, columns: columns ?? []),
                            isDeclared: false))
                }
                if writing.makesRows { write(.insert) }
                if let columns = writing.set { write(.update, columns) }
                if writing.takesRows { write(.delete) }
            }
        }
        guard runsText, earlier.isEmpty else { return writes }
        guard let declared = ground.writers[SQLName.parts(ofPath: trigger.function) ?? []] else {
            unread.append(trigger)
            return writes
        }
        // What it does there no line says.
        for table in declared.compactMap({ ground.graph.tables[$0] }) {
            for right in [Graph.Table.Right.insert, .update, .delete] {
                let isOwn = !trigger.sources.contains(where: \.runsAsAnother)
                writes.append(
                    Write(
                        trigger: trigger, right: right, table: table, columns: nil, isOwn: isOwn, isDeclared: true))
                guard isOwn, let privilege = Need.Privilege(rawValue: right.rawValue) else { continue }
                uses.append(Use(trigger: trigger, right: .on(privilege, table.oid, columns: []), isDeclared: true))
            }
        }
        return writes
    }

    /// Takes down what a function needs besides, on some events.
    private mutating func note(
        _ used: [FunctionBody.Use], of trigger: TriggerEffect, on events: Set<Graph.Table.Right>,
        besides earlier: Set<Graph.Table.Right>, in ground: Ground
    ) {
        func table(_ name: [String]) -> UInt32? { ground.graph.table(name, beside: trigger.table)?.oid }
        for use in used {
            let runs = Set(use.events.compactMap(Graph.Table.Right.init))
            guard !runs.isDisjoint(with: events), runs.isDisjoint(with: earlier) else { continue }
            let rights: [NeededRight] =
                switch use.kind {
                case .reads(let name, columns: let columns?):
                    table(name).map { [.on(.select, $0, columns: columns)] } ?? []
                case .reads(let name, columns: nil): table(name).map { [.onAll(.select, $0)] } ?? []
                case .fills(let name, let columns):
                    table(name).map { [.on(.insert, $0, columns: columns), .defaults($0, besides: columns)] } ?? []
                case .calls(let name): [.call(name)]
                case .counts(let name): [.count(name)]
                }
            uses += rights.map { Use(trigger: trigger, right: $0, isDeclared: false) }
        }
    }
}

extension TriggerEffect {
    /// On what of what happens it fires.
    fileprivate func fires(on events: TriggerWrites.Events) -> Set<Graph.Table.Right> {
        (events[table] ?? []).filter { event in
            switch event {
            case .insert: firesOnInsert
            case .update: firesOnUpdate
            case .delete: firesOnDelete
            }
        }
    }
}

extension Graph {
    /// The table of a name: where it stands without its schema, the one beside another table, else any.
    func table(_ name: [String], beside other: UInt32) -> Table? {
        guard let last = name.last else { return nil }
        if name.count == 2 { return table(name.joined(separator: ".")) }
        let own = tables[other].flatMap { table("\($0.schema).\(last)") }
        return own ?? tables.values.filter { $0.name == last }.min { $0.schema < $1.schema }
    }
}

extension AccountClosure {
    /// What a deletion does to rows itself.
    var events: TriggerWrites.Events {
        var events: TriggerWrites.Events = [:]
        for (table, found) in found where found.rows > 0 { events[table, default: []].insert(.delete) }
        for link in staying.keys { events[map.links[link].child, default: []].insert(.update) }
        for reference in carrying { events[map.graph.whole(reference.table), default: []].insert(.update) }
        for table in map.lines.added.keys { events[table, default: []].insert(.insert) }
        return events
    }

    /// What a restoration does to rows: it inserts what goes and what triggers delete, and fills in afterwards what circles left
    /// empty; and it changes what stays.
    func eventsOfRestoring(after writes: TriggerWrites) -> TriggerWrites.Events {
        var events = self.events.mapValues { events in
            Set(
                events.map { (event: Graph.Table.Right) -> Graph.Table.Right in
                    switch event {
                    case .insert: .delete
                    case .update: .update
                    case .delete: .insert
                    }
                })
        }
        for write in writes.all where write.right == .delete { events[write.table.oid, default: []].insert(.insert) }
        for table in deletionOrder.filter({ $0.count > 1 }).joined() { events[table, default: []].insert(.update) }
        return events
    }

    /// The foreign keys by which the database writes other rows along with what it writes.
    var carrying: [Graph.Reference] {
        var written: [UInt32: Set<String>] = [:]
        for link in staying.keys.map({ map.links[$0] }) {
            let overwritten = (map.anonymised[link.child] ?? []).map(\.name)
            written[link.child, default: []].formUnion(lost(by: link) + overwritten)
        }
        return map.graph.carrying(written)
    }

    /// What of it is done by no key of the database.
    var directEvents: TriggerWrites.Events {
        var events: TriggerWrites.Events = [:]
        for (table, found) in found where found.rows > found.cascaded { events[table, default: []].insert(.delete) }
        for link in staying.keys.map({ map.links[$0] })
        where link.reference?.action != .setNull && link.reference?.action != .setDefault
            || map.anonymised[link.child] != nil
        {
            events[link.child, default: []].insert(.update)
        }
        for table in map.lines.added.keys { events[table, default: []].insert(.insert) }
        return events
    }
}
