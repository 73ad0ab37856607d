import Catalog
import Inquiries
import PQ

/// What a scout sees: one place, or of a database with a schema for each customer a few of them, on one connection.
struct ScoutView {
    /// What the schemas of customers are called; none where they have none of their own.
    let names: [String]
    let places: [Surroundings]
    /// Whether these are all there are.
    let isWhole: Bool
    /// The columns of addresses, by place.
    var columns: [Int: [AddressColumn]] = [:]

    /// What comes up in time, in all places together.
    mutating func answer(to lookup: Lookup, on connection: Connection) -> Lookup.Answer {
        if lookup == .members { return Lookup.Answer(names: names) }
        var found: [Lookup.Found] = []
        var isWhole = isWhole || lookup.isOfDatabase
        let deadline = Moment.now + Self.longest
        for (number, place) in places.enumerated().prefix(lookup.isOfDatabase ? 1 : places.count) {
            guard connection.isAlive, Moment.now < deadline else {
                isWhole = false
                break
            }
            let known = columns[number] ?? Lookup.addressColumns(of: place, on: connection)
            columns[number] = known
            let answer = lookup.found(in: place, columns: known, within: Self.patience, on: connection)
            isWhole = isWhole && answer.isWhole
            found += answer.found.filter { one in !found.contains { $0.name == one.name } }
        }
        return Lookup.Answer(found: found, isWhole: isWhole)
    }

    /// Places that are looked into for completion: a database with ten thousand customers is asked about as many as a fleet is.
    static let most = 32
    /// Seconds that the server may spend on a question.
    private static let patience = 0.1
    /// Seconds that all places together may take: an answer that comes later serves nobody.
    private static let longest = 1.0
}
