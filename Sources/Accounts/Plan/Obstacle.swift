import AppFile
package import Asking
internal import Catalog
import PQ

extension AccountPlan.Entry {
    fileprivate var sharedRows: String { "\(pasted(table)): \(shared) of \(rows)" }
}

extension Graph {
    /// The name of a trigger with its table, as text for people.
    func place(of trigger: TriggerEffect) -> String {
        "the trigger \(trigger.name) on \(pasted(tables[trigger.table]?.qualifiedName ?? "?"))"
    }

    /// The warning that a rollback can't undo the effects of a trigger.
    func outsideEffect(of trigger: TriggerEffect) -> String {
        "\(place(of: trigger)) has effects outside the transaction (\(trigger.function))"
    }
}

extension [TriggerEffect] {
    /// The `--set` options that identify the operator to triggers; an example if the settings are unknown.
    var settingOptions: String {
        let settings = Set(flatMap(\.settings)).sorted()
        if settings.isEmpty { return "--set NAME=VALUE, such as --set request.jwt.claim.sub=ID" }
        return settings.map { "--set \($0)=VALUE" }.joined(separator: " or ")
    }
}

extension AccountPlan {
    /// A reason why the deletion is refused.
    package struct Obstacle: Sendable, Hashable {
        package enum Code: String, Sendable { case refused, impossible, forbidden, undeclared, shared }

        package let code: Code
        package let sentence: FilledSentence
        package let remedy: String?

        init(_ code: Code, _ text: String, _ remedy: String) {
            (self.code, sentence, self.remedy) = (code, FilledSentence(text: text), remedy)
        }

        init(refusal: FilledSentence) { (code, sentence, remedy) = (.refused, refusal, nil) }

        init(shared entries: [Entry]) {
            self.init(
                .shared, "rows shared with other users: " + entries.map(\.sharedRows).joined(separator: ", "),
                entries.allSatisfy(\.mayStay)
                    ? "add --shared delete or --shared detach, or @shared in the app file"
                    : "add --shared delete, or @shared in the app file")
        }

        /// The obstacle for undeclared columns that have the same name and no answer.
        init(undeclared columns: [UndeclaredColumn]) {
            let (first, rows) = (columns[0], columns.reduce(0) { $0 + $1.rows })
            let place = columns.count == 1 ? first.path : "\(first.column) of \(columns.count) tables"
            self.init(
                .undeclared, "\(place): \(rows.of("row")), \(first.why)",
                columns.count == 1
                    ? "add --undeclared '\(first.path)=delete' (or detach, or keep), or declare the column in the app file"
                    : Self.survey)
        }

        fileprivate static let survey =
            "add the lines that `usher account survey` proposes to the app file, or answer once with --undeclared"
    }

    /// All obstacles that block the deletion; with `together`, columns of the same name are one obstacle.
    package func blocking(together: Bool = false) -> [Obstacle] {
        var all = obstacles
        let alike =
            together
            ? Array(Dictionary(grouping: undeclared) { [$0.column, $0.why] }.values) : undeclared.map { [$0] }
        all += alike.sorted { ($1.count, $0[0].path) < ($0.count, $1[0].path) }.map { .init(undeclared: $0) }
        if !unanswered.isEmpty { all.append(.init(shared: unanswered)) }
        return all
    }

    /// The shared rows without an answer.
    var unanswered: [Entry] { conditions.answer == nil ? entries.filter { $0.shared > 0 && $0.why == nil } : [] }

    package var obstacles: [Obstacle] {
        var obstacles = refusals.map(Obstacle.init(refusal:))
        let written = Set(closure.tables).union(changed).sorted().compactMap { model.graph.tables[$0] }
        obstacles += written.filter(\.asksElsewhere).map(\.path).map { path in
            .init(
                .impossible, "\(path) is foreign or has foreign partitions",
                "delete the rows of \(path) on the foreign server first, or keep them with `@keep \(path)`")
        }
        obstacles += staying.sorted { $0.key < $1.key }.flatMap { $0.value.stuck.map(required) }
        obstacles += ambiguous.map(model.path).map { path in
            .init(
                .impossible,
                "another user has the same email in \(path), so usher can't tell whose rows contain this email",
                "change the email of one of these users in \(path) first")
        }
        if isRequested { return obstacles }
        if !deletesUsers {
            let users = model.root.values.sorted().map(quoteWord).joined(separator: " ")
            let remedy = "request the deletion with `usher account delete \(users) --request`"
            return obstacles + [.init(.forbidden, "this role can't delete accounts", remedy)]
        }
        func require(_ right: String, on path: String, _ sentence: String) {
            obstacles.append(.init(.forbidden, sentence, "grant \(right) on \(path) to this role"))
        }
        for table in closure.tables.compactMap({ model.graph.tables[$0] }) where !table.isDeletable {
            require("delete", on: table.path, "this role can't delete from \(table.path)")
        }
        for table in changed {
            let columns = (staying[table]?.columns ?? []).sorted().filter { column in
                model.columns[.init(table: table, column: column)]?.isUpdatable == false
            }
            if columns.isEmpty { continue }
            let list = columns.map { SQLName.path(of: [$0]) }.joined(separator: ", ")
            require("update (\(list))", on: model.path(table), "this role can't update \(list) of \(model.path(table))")
        }
        for (table, why) in model.rules.added.sorted(by: { $0.key < $1.key })
        where model.graph.tables[table]?.isInsertable == false {
            let name = model.name(table)
            require(
                "insert", on: name,
                "the app file adds rows to \(name) (\(why)), but this role can't insert into the table")
        }
        var seen: Set<Obstacle> = []
        return obstacles.filter { seen.insert($0).inserted }
    }

    /// True if this role can delete from the table of the users; other roles only plan.
    private var deletesUsers: Bool { model.graph.tables[model.root.oid]?.isDeletable ?? false }

    /// The obstacle for rows that must stay, but can't lose a required reference.
    private func required(_ edge: Edge) -> Obstacle {
        let name = model.name(edge)
        return .init(
            .impossible,
            model.refersToPartition(edge)
                ? "usher doesn't follow the foreign key \(name), because it refers to a single partition"
                : edge.reference?.action == .setDefault
                    ? "usher doesn't apply ON DELETE SET DEFAULT of \(name)"
                    : "\(name) can't be NULL, but some rows stay and would lose this value",
            "delete these rows, too, with --shared delete, --undeclared COLUMN=delete or `@refers … : delete`; "
                + "or write another value into the column with `@set`")
    }

    /// The warnings about triggers with effects outside the transaction.
    package var outsideEffects: [String] { firing.filter(\.reachesOutside).map(model.graph.outsideEffect) }

    /// Notes to read before the deletion.
    package var warnings: [String] {
        let gone =
            "the user's row in \(pasted(model.root.table)) no longer exists, so usher searches for leftovers by key only, not by email"
        var warnings = isRootGone ? [gone] : []
        warnings += slowSearches.map { search in
            "\(model.name(search.edge)) has no index"
                + (buildsIndexes
                    ? ", so usher builds an index first and drops it afterwards"
                    : ", so deleting \(search.parents.of("row")) takes about \(search.seconds) s; --build-indexes builds an index first")
        }
        warnings += outsideEffects
        if !model.hidden.isEmpty {
            let columns = deletesUsers ? paths(model.hidden) : model.hidden.count.of("undeclared column")
            warnings.append("your role can't read \(columns), so usher doesn't search these columns")
        }
        if !model.scanned.isEmpty {
            warnings.append(
                "usher reads whole tables, because these undeclared columns have no index: \(paths(model.scanned))")
        }
        for trigger in firing where trigger.asksWhoActs {
            let place = model.graph.place(of: trigger)
            warnings.append(
                "\(place) checks who makes the change (\(trigger.function)); add \([trigger].settingOptions)")
        }
        warnings += model.rules.missing.map { "the app file declares \($0), but this database doesn't have it" }
        warnings += model.rules.aimless.map {
            "the app file doesn't say which table \($0) refers to: add `-> TABLE.COLUMN` to its @refers line"
        }
        if model.root.table == Platform.users {
            warnings.append("Access tokens of this user stay valid until they expire")
        }
        return warnings
    }

    private func paths(_ columns: [CatalogColumn.Name]) -> String {
        columns.map(model.path).sorted().joined(separator: ", ")
    }

    /// The foreign keys without an index for which the server would scan tables for at least a second.
    ///
    /// usher computes the time from the estimated numbers of rows and pages.
    var slowSearches: [(edge: Edge, parents: Int, seconds: Int)] {
        model.edges.compactMap { edge in
            guard let reference = edge.reference, !reference.isIndexed,
                let table = model.graph.tables[edge.child], let parents = closure.found[edge.parent]?.rows, parents > 0
            else { return nil }
            // A sequential scan reads about 30 million rows per second, and needs two microseconds per page.
            let seconds = Double(parents) * (Double(table.rows) * 33e-9 + Double(table.pages) * 2e-6)
            return seconds < 1 ? nil : (edge, parents, Int(seconds.rounded(.up)))
        }
    }
}

extension Failure {
    /// Lists all obstacles of a deletion at once, with one remedy for each kind.
    init(blocked plan: AccountPlan) {
        let (obstacles, columns) = (plan.blocking(), plan.undeclared.count)
        let shared = plan.unanswered.reduce(0) { $0 + $1.shared }
        let problems = [
            obstacles.contains { ![.undeclared, .shared].contains($0.code) }
                ? "something blocks the deletion of this account" : nil,
            columns > 0 ? "a key or an email of the account is in \(columns.of("undeclared column"))" : nil,
            shared > 0 ? "shared with other users: \(shared) of \(plan.total.of("row")) to delete" : nil,
        ].compactMap(\.self)
        var codes: Set<AccountPlan.Obstacle.Code> = []
        let ways = obstacles.filter { codes.insert($0.code).inserted }.compactMap { obstacle in
            obstacle.code == .undeclared && columns > 1 ? AccountPlan.Obstacle.survey : obstacle.remedy
        }
        // If all obstacles are missing rights, the kind is `forbidden`, because the operator has nothing to decide.
        let isForbidden = obstacles.allSatisfy { $0.code == .forbidden }
        let details = obstacles.flatMap {
            $0.code == .shared ? plan.unanswered.map { FilledSentence(text: $0.sharedRows) } : [$0.sentence]
        }
        self.init(
            isForbidden ? .forbidden : .refused, FilledSentence(text: problems.joined(separator: "; ")),
            hint: ways.isEmpty ? nil : ways.joined(separator: "; "),
            state: isForbidden ? .insufficientPrivilege : nil, details: details)
    }
}

extension Failure {
    init(unreadable tables: [String]) {
        self.init(
            .forbidden,
            "this command needs the whole account, but your role can't read \(tables.count.of("table")) of the account",
            code: "unreadable_tables",
            hint:
                "connect as a member of usher_eraser: `usher roles sql` prints the grants for this role. "
                + "Without an app file, grant select on the tables to your role", state: .insufficientPrivilege,
            details: tables.map { pasted($0) })
    }
}

extension [Graph.Table] {
    /// Refuses tables that this role can't read completely; the failure lists all these tables.
    func requireReadable() throws(Failure) {
        let unreadable = filter { !$0.isReadable }.map(\.qualifiedName).sorted()
        if !unreadable.isEmpty { throw Failure(unreadable: unreadable) }
        let hidden = filter(\.isSecured).map(\.qualifiedName).sorted()
        if hidden.isEmpty { return }
        throw Failure(
            .forbidden, "row security may hide rows of \(pasted(hidden)) from this role",
            hint: "connect as a role with BYPASSRLS", state: .insufficientPrivilege)
    }
}

extension ServerError {
    /// The detail and the context of the error, as text for people.
    var lines: [String] { [detail, context].compactMap { $0 } }

    /// The kind of a failure after the server refused a statement of a deletion or a restore.
    func kind(unless other: Failure.Kind) -> Failure.Kind { state == .insufficientPrivilege ? .forbidden : other }
}
