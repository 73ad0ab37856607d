package import AppFile
package import Asking
import Catalog
package import Inquiries
import PQ

/// The scouts of a command line: one for a database, or one for each member of a fleet.
package final class Scouts: Sendable {
    private let scouts: [Scout]
    private let answers: Bell
    /// The databases of a fleet; nil where it is one database and no fleet.
    private let members: [String]?
    private let labels: [String]
    private let hasSchemas: Bool

    /// How many databases of a fleet there are; nil where it is one database and no fleet.
    package var databases: Int? { members?.count }

    /// Scouts that have not set out yet, for whatever the options lead to.
    package init(
        _ options: GlobalOptions, _ workplace: Workplace,
        candidates: @escaping @Sendable (_ schema: String?) throws(Failure) -> [App]
    ) {
        let answers = Bell()
        let template = (try? workplace.template(options, app: nil)) ?? nil
        let fleet = (try? workplace.databases(options, ofSchemas: template != nil)) ?? nil
        let schema = template == nil ? nil : options.schemaOfMember
        let targets =
            fleet.map { fleet in
                fleet.members.prefix(ScoutView.most).map {
                    Scout.Target(database: $0.database, template: template, schema: schema, lead: $0.name + "/")
                }
            } ?? [Scout.Target(database: options.database, template: template, schema: schema)]
        scouts = targets.map { Scout($0, answers: answers, candidates: candidates) }
        self.answers = answers
        members = fleet?.members.map(\.name)
        labels = Set(fleet?.members.flatMap(\.labels) ?? []).sorted()
        hasSchemas = template != nil
    }

    /// They set out, and this returns at once.
    package func start() { scouts.forEach { $0.start() } }

    /// What is known by now of the place, of a fleet as of one; a lost connection changes nothing about it.
    package var surroundings: Surroundings? { Surroundings.together(scouts.compactMap(\.surroundings)) }

    /// Whether some database was found, and not lost since.
    package var isThere: Bool { scouts.contains { $0.isThere } }

    /// Why no database can be reached; nil while one is, or is looked for.
    package var loss: Failure? {
        var first: Failure?
        for scout in scouts {
            guard case .lost(let failure) = scout.report else { return nil }
            first = first ?? failure
        }
        return first
    }

    /// Whether there is something that nobody has asked for yet.
    package func takeNews() -> Bool { scouts.map { $0.takeNews() }.contains(true) }

    /// Whether the one database wants a password that nobody has given, as far as it says so within some seconds.
    package func wantsPassword(within seconds: Double) -> Bool {
        guard members == nil else { return false }
        start()
        let deadline = Moment.now + seconds
        while !scouts.allSatisfy(\.hasKnocked), Moment.now < deadline, !Cancellation.interrupt.isRequested {
            _ = answers.wait(within: deadline - Moment.now)
        }
        return loss?.unreachable?.step == .missingPassword
    }

    /// Has them set out as if for the first time.
    package func startOver() { scouts.forEach { $0.startOver() } }

    /// Waits for the first report of somebody, at most so long.
    package func wait(within seconds: Double) {
        start()
        let deadline = Moment.now + seconds
        while !isThere, loss == nil, Moment.now < deadline { _ = answers.wait(within: deadline - Moment.now) }
    }

    /// Has them look again, because something may have changed.
    package func lookAgain() { scouts.forEach { $0.lookAgain() } }

    /// What a question brings up in time, in all databases together: as soon as it is there, or known that none will come.
    package func answer(to lookup: Lookup, within seconds: Double) -> Lookup.Answer {
        if lookup == .labels { return Lookup.Answer(names: labels) }
        if lookup == .members, !hasSchemas { return Lookup.Answer(names: members ?? []) }
        start()
        // A server that was waited for in vain is not waited for again before it says something.
        let (deadline, glance) = (Moment.now + seconds, Moment.now + min(seconds, Self.glance))
        scouts.forEach { $0.ask(lookup) }
        var left = scouts
        var found: [Lookup.Found] = []
        var isWhole = true
        while true {
            left.removeAll { scout in
                guard let answer = scout.takeAnswer(to: lookup) else {
                    if scout.isLostSinceAsked { isWhole = false }
                    return scout.isLostSinceAsked
                }
                isWhole = isWhole && answer.isWhole
                found += answer.found.filter { one in !found.contains { $0.name == one.name } }
                return true
            }
            if left.isEmpty { return Lookup.Answer(found: found, isWhole: isWhole) }
            let end = left.allSatisfy(\.wasInVain) ? glance : deadline
            guard Moment.now < end, answers.wait(within: end - Moment.now) else {
                for scout in left { scout.wasInVain = true }
                return Lookup.Answer(found: found, isWhole: false)
            }
        }
    }

    /// Calls them back; a server that does not let go is not waited for.
    package func dismiss() {
        scouts.forEach { $0.callBack() }
        let deadline = Moment.now + 0.2
        for scout in scouts { scout.sendOff(within: max(0, deadline - Moment.now)) }
    }

    /// Seconds that nobody feels.
    private static let glance = 0.15
}
