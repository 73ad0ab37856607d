import AppFile
package import Asking
package import Inquiries
import PQ
package import Terminal

/// Queries the database for completions, on the connection that the commands of the console share.
///
/// In a fleet, usher queries no database, because no connection is open. If each tenant has a schema, usher queries the
/// chosen schema.
package final class CompletionLookup {
    private let options: GlobalOptions
    private let session: CommandSession
    private let screen: any Screen
    private let template: App?
    private let fleet: Fleet?
    private var hasTriedToConnect = false
    /// The schemas of the tenants, if the app file has `@schema`.
    private var schemas: [String] = []
    /// The app and environment of the connection; they stay available after the connection is lost.
    package private(set) var summary: ConnectionSummary?
    /// The reason why the last connection attempt failed.
    package private(set) var failure: Failure?

    package init(_ options: GlobalOptions, _ session: CommandSession, on screen: any Screen) {
        template = (try? session.template(options, app: nil)) ?? nil
        fleet = template == nil ? (try? session.databases(options)) ?? nil : nil
        let member = options.member == nil ? nil : fleet?.members.first
        self.options = member.map { options.at($0) } ?? options
        self.session = session
        self.screen = screen
        isOfOne = fleet == nil || member != nil
    }

    private let isOfOne: Bool

    /// The number of databases of a fleet; nil for a single database.
    package var databases: Int? { isOfOne ? nil : fleet?.members.count }

    /// True if there is a single database, and usher failed to connect to it.
    package var isOffline: Bool { isOfOne && hasTriedToConnect && session.openConnection(options.database) == nil }

    /// Connects if necessary, and reads the app and the environment, each within a time limit.
    package func refresh(within seconds: Double) {
        hasTriedToConnect = true
        guard isOfOne else { return }
        var options = options
        (options.timeout, options.isTimeoutChosen) = (seconds, true)
        do throws(Failure) {
            let connection = try session.connect(options, on: screen)
            (connection.waiting, connection.followed) = (nil, nil)
            if let template {
                schemas = try Tenants.of(template, on: connection, options: InquiryOptions(timeout: seconds))
            }
            let schema = options.member.flatMap { schemas.contains($0) ? $0 : nil } ?? schemas.first
            let candidates = try CommandSession.candidates(chosen: session.choice(options.app), in: schema)
            let place = try ConnectionSummary.look(on: connection, candidates: candidates, timeout: seconds)
            (summary, failure) = (place, nil)
            if template == nil, let app = place.app { session.appCache(options.database).store(app: app.name) }
        } catch {
            failure = error
        }
    }

    package func candidates(for lookup: Lookup, within seconds: Double) -> Lookup.Answer {
        switch lookup {
        case .labels: return Lookup.Answer(names: Set(fleet?.members.flatMap(\.labels) ?? []).sorted())
        case .members where template == nil: return Lookup.Answer(names: fleet?.members.map(\.name) ?? [])
        default: break
        }
        if !hasTriedToConnect { refresh(within: max(seconds, Self.secondsToConnect)) }
        if lookup == .members { return Lookup.Answer(names: schemas) }
        guard let place = summary, let connection = session.openConnection(options.database),
            template == nil || options.member != nil || lookup.isOfDatabase
        else { return .unknown }
        (connection.waiting, connection.followed) = (nil, nil)
        return lookup.found(in: place, within: seconds, on: connection)
    }

    /// The time limit for connecting to a distant server, in seconds.
    static let secondsToConnect = 1.5
}
