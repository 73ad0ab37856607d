import AppFile
package import Asking
package import Inquiries
import PQ
package import Terminal

/// Queries the database for completions, on the connection that its commands share.
///
/// In a fleet it queries no database, because no connection is open.
package final class CompletionLookup {
    private let options: GlobalOptions
    private let workplace: Workplace
    private let screen: any Screen
    private let template: App?
    private let fleet: Fleet?
    private var hasLooked = false
    /// The schemas of tenants, if the app file describes them.
    private var schemas: [String] = []
    private var places: [ConnectionSummary] = []
    /// The reason why the last connection attempt failed.
    package private(set) var loss: Failure?

    /// A lookup for the database of the options, without a connection yet.
    package init(_ options: GlobalOptions, _ workplace: Workplace, on screen: any Screen) {
        template = (try? workplace.template(options, app: nil)) ?? nil
        fleet = (try? workplace.databases(options, ofSchemas: template != nil)) ?? nil
        let member = options.member == nil ? nil : fleet?.members.first
        self.options = member.map { options.at($0) } ?? options
        self.workplace = workplace
        self.screen = screen
        schemaOfMember = template == nil ? nil : options.schemaOfMember
        lead = member.map { $0.name + "/" } ?? ""
        isOfOne = fleet == nil || member != nil
    }

    private let schemaOfMember: String?
    /// The typed prefix of a schema's name.
    private let lead: String
    private let isOfOne: Bool

    /// The number of databases of a fleet; nil for a single database.
    package var databases: Int? { isOfOne ? nil : fleet?.members.count }

    /// The known facts about the database, which stay after a lost connection.
    package var surroundings: ConnectionSummary? { places.first }

    /// True if usher tried to connect to the one database and failed.
    package var isOffline: Bool { isOfOne && hasLooked && workplace.openConnection(options.database) == nil }

    /// Connects if necessary, and reads facts about the database, each within a time limit.
    package func look(within seconds: Double) {
        hasLooked = true
        guard isOfOne else { return }
        var options = options
        (options.timeout, options.isTimeoutChosen) = (seconds, true)
        do throws(Failure) {
            let connection = try workplace.connect(options, on: screen) { _ in }
            (connection.waiting, connection.followed) = (nil, nil)
            if let template {
                schemas = try Tenants.of(template, on: connection, options: InquiryOptions(timeout: seconds))
                if let schemaOfMember { schemas.removeAll { $0 != schemaOfMember } }
            }
            let candidates = try Workplace.candidates(chosen: workplace.choice(options.app), in: schemas.first)
            let place = try ConnectionSummary.look(on: connection, candidates: candidates, timeout: seconds)
            (places, loss) = ([place], nil)
            for schema in schemas.dropFirst().prefix(Self.mostSchemas - 1) {
                let candidates = try Workplace.candidates(chosen: workplace.choice(options.app), in: schema)
                places += candidates.map { place.by($0) }
            }
            if template == nil, let app = place.app { workplace.remember(app, options.database) }
        } catch {
            loss = error
        }
    }

    /// The answer, if it arrives in time.
    package func answer(to lookup: Lookup, within seconds: Double) -> Lookup.Answer {
        switch lookup {
        case .labels: return Lookup.Answer(names: Set(fleet?.members.flatMap(\.labels) ?? []).sorted())
        case .members where template == nil || !isOfOne: return Lookup.Answer(names: fleet?.members.map(\.name) ?? [])
        default: break
        }
        if !hasLooked { look(within: max(seconds, Self.secondsToConnect)) }
        if lookup == .members { return Lookup.Answer(names: schemas.map { lead + $0 }) }
        var found: [Lookup.Found] = []
        var isWhole = !places.isEmpty && (schemas.count <= Self.mostSchemas || lookup.isOfDatabase)
        let deadline = Moment.now + seconds
        for place in places.prefix(lookup.isOfDatabase ? 1 : places.count) {
            let left = deadline - Moment.now
            guard left > 0, let connection = workplace.openConnection(options.database) else {
                isWhole = false
                break
            }
            (connection.waiting, connection.followed) = (nil, nil)
            let answer = lookup.found(in: place, within: left, on: connection)
            isWhole = isWhole && answer.isWhole
            found += answer.found.filter { one in !found.contains { $0.name == one.name } }
        }
        return Lookup.Answer(found: found, isWhole: isWhole)
    }

    /// The number of schemas to query, because a database may have ten thousand tenants.
    private static let mostSchemas = 32
    /// The time limit for connecting to a distant server, in seconds.
    static let secondsToConnect = 1.5
}
