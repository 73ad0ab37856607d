import Accounts
import AppFile

/// A random schema with few rows, and an independent computation of the deletion of user 1.
///
/// The computation follows the documentation of `RowConditions`, row by row.
struct OracleSchema: Seeded {
    struct Link {
        var parent: Int
        var action: String
        var isRequired: Bool
        var isUnique: Bool
    }

    struct Table {
        var links: [Link]
        /// The id of a row is its position plus one; each row has a value for every link.
        var rows: [[Int?]]
    }

    /// The first table has the users.
    var tables: [Table]
    var answer: AccountAnswer?

    init(seed: UInt64) {
        var random = SplitMix(state: seed)
        let count = Int.random(in: 3...8, using: &random)
        let answers: [AccountAnswer?] = [nil, .delete, .detach]
        answer = answers.randomElement(using: &random) ?? nil
        let actions = ["no action", "restrict", "cascade", "cascade", "set null"]
        tables = (0..<count).map { index in
            let size = Int.random(in: index == 0 ? 2...3 : 2...6, using: &random)
            return Table(links: [], rows: Array(repeating: [], count: size))
        }
        for index in tables.indices {
            let wanted = index == 0 ? Int.random(in: 0...1, using: &random) : Int.random(in: 1...3, using: &random)
            for place in 0..<wanted {
                let bound = place == 0 && index > 0 && Int.random(in: 0..<5, using: &random) > 0 ? index : count
                let parent = Int.random(in: 0..<bound, using: &random)
                let size = tables[parent].rows.count
                let isUnique =
                    index > 0 && parent != index && tables[index].rows.count <= size
                    && Int.random(in: 0..<4, using: &random) == 0
                tables[index].links.append(
                    Link(
                        parent: parent, action: actions.randomElement(using: &random) ?? "cascade",
                        isRequired: isUnique || Bool.random(using: &random), isUnique: isUnique))
            }
        }
        for index in tables.indices {
            for link in tables[index].links {
                let ids = Array(1...tables[link.parent].rows.count)
                let shuffled = ids.shuffled(using: &random)
                for row in tables[index].rows.indices {
                    let isEmpty = !link.isRequired && Int.random(in: 0..<4, using: &random) == 0
                    let value = link.isUnique ? shuffled[row] : ids.randomElement(using: &random)
                    tables[index].rows[row].append(isEmpty ? nil : value)
                }
            }
        }
    }

    // MARK: As SQL

    var statements: [String] {
        var statements = tables.indices.map { index in
            let columns = tables[index].links.indices.map { ", r\($0) int" }.joined()
            return "create table t\(index) (id int primary key\(columns))"
        }
        for (index, table) in tables.enumerated() {
            for (row, values) in table.rows.enumerated() {
                let texts = values.map { $0.map(String.init) ?? "null" }
                statements.append(
                    "insert into t\(index) values (\(([String(row + 1)] + texts).joined(separator: ", ")))")
            }
        }
        for (index, table) in tables.enumerated() {
            for (place, link) in table.links.enumerated() {
                if link.isRequired { statements.append("alter table t\(index) alter r\(place) set not null") }
                if link.isUnique { statements.append("alter table t\(index) add unique (r\(place))") }
                statements.append(
                    "alter table t\(index) add foreign key (r\(place)) references t\(link.parent) on delete \(link.action)"
                )
            }
        }
        return statements
    }

    var written: String { (statements + ["-- \(answer.map(\.rawValue) ?? "no answer")"]).joined(separator: ";\n") }

    var smaller: [OracleSchema] {
        tables.indices.flatMap { index in
            tables[index].links.indices.map { place in
                var other = self
                other.tables[index].links.remove(at: place)
                for row in other.tables[index].rows.indices { other.tables[index].rows[row].remove(at: place) }
                return other
            }
        }
    }

    // MARK: The expected outcome

    enum Outcome: Equatable {
        /// usher refuses the deletion because of shared rows, or because rows must stay and can't.
        case refused
        /// The remaining rows of each table, each with its id first.
        case left([[[Int?]]])
    }

    private enum Effect { case delete, detach, refuse }

    private struct Place: Hashable {
        let table: Int
        let row: Int
    }

    /// The rows of the deleted user in the tables of users.
    private func userRows(_ identity: Set<[Int]>) -> Set<Place> {
        var own: Set<Place> = [Place(table: 0, row: 1)]
        var isGrowing = true
        while isGrowing {
            let more = places.filter { place in
                tables[place.table].links.indices.contains { link in
                    identity.contains([place.table, link]) && own.contains(parent(of: place, link) ?? place)
                        && parent(of: place, link) != nil
                }
            }
            isGrowing = !own.isSuperset(of: more)
            own.formUnion(more)
        }
        return own
    }

    var outcome: Outcome {
        let (userTables, identity) = users
        let effects = tables.indices.map { index in
            tables[index].links.indices.map { place -> Effect in
                let link = tables[index].links[place]
                switch link.action {
                case "cascade": return .delete
                case "set null": return link.isRequired ? .delete : .detach
                default:
                    let isMention = userTables.contains(index) && !identity.contains([index, place])
                    return isMention ? link.isRequired ? .refuse : .detach : .delete
                }
            }
        }
        let own = userRows(identity)
        let reached = reachedTables(effects)
        func another(_ place: Place, _ goes: Set<Place>) -> Bool {
            if userTables.contains(place.table) { return !own.contains(place) }
            let links = tables[place.table].links
            let named = links.indices.filter { userTables.contains(links[$0].parent) }.compactMap {
                parent(of: place, $0)
            }
            if named.contains(where: { !own.contains($0) }) { return true }
            if named.contains(where: own.contains) { return false }
            return links.indices.contains { link in
                effects[place.table][link] == .delete && !userTables.contains(links[link].parent)
                    && reached.contains(links[link].parent)
                    && (links[link].action == "cascade" || links[link].isRequired)
                    && parent(of: place, link).map { !goes.contains($0) } ?? false
            }
        }
        func stays(_ place: Place, _ goes: Set<Place>) -> Bool { answer == .detach && another(place, goes) }
        var goes: Set<Place> = []
        while true {
            let next = Set(
                places.filter { place in
                    let comes =
                        place == Place(table: 0, row: 1)
                        || tables[place.table].links.indices.contains { link in
                            effects[place.table][link] == .delete
                                && goes.contains(parent(of: place, link) ?? Place(table: -1, row: 0))
                        }
                    return comes && !stays(place, goes)
                })
            if next == goes { break }
            goes = next
        }
        if answer == nil, goes.contains(where: { another($0, goes) }) { return .refused }
        return rest(goes, effects)
    }

    /// The remaining rows, without the references to deleted rows.
    private func rest(_ goes: Set<Place>, _ effects: [[Effect]]) -> Outcome {
        var left: [[[Int?]]] = []
        for table in tables.indices {
            var rows: [[Int?]] = []
            for row in tables[table].rows.indices where !goes.contains(Place(table: table, row: row + 1)) {
                var values = tables[table].rows[row]
                for link in values.indices {
                    guard let parent = parent(of: Place(table: table, row: row + 1), link), goes.contains(parent) else {
                        continue
                    }
                    if effects[table][link] == .refuse || tables[table].links[link].isRequired { return .refused }
                    values[link] = nil
                }
                rows.append([row + 1] + values)
            }
            left.append(rows)
        }
        return .left(left)
    }

    private var places: [Place] {
        tables.indices.flatMap { table in tables[table].rows.indices.map { Place(table: table, row: $0 + 1) } }
    }

    private func parent(of place: Place, _ link: Int) -> Place? {
        tables[place.table].rows[place.row - 1][link].map {
            Place(table: tables[place.table].links[link].parent, row: $0)
        }
    }

    /// The tables whose rows are users, and the links that lead to the user.
    private var users: (tables: Set<Int>, identity: Set<[Int]>) {
        var (found, identity): (Set<Int>, Set<[Int]>) = ([0], [])
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for index in tables.indices.dropFirst() {
                for (place, link) in tables[index].links.enumerated()
                where link.isUnique && found.contains(link.parent) && identity.insert([index, place]).inserted {
                    found.insert(index)
                    isGrowing = true
                }
            }
        }
        return (found, identity)
    }

    private func reachedTables(_ effects: [[Effect]]) -> Set<Int> {
        var (reached, isGrowing): (Set<Int>, Bool) = ([0], true)
        while isGrowing {
            let more = tables.indices.filter { index in
                tables[index].links.indices.contains {
                    effects[index][$0] == .delete && reached.contains(tables[index].links[$0].parent)
                }
            }
            isGrowing = !reached.isSuperset(of: more)
            reached.formUnion(more)
        }
        return reached
    }
}
