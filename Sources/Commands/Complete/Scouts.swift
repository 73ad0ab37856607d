package import AppFile
package import Asking
import Catalog
package import Inquiries
import PQ

/// The scouts of a command line: one for a database, or one for each member of a fleet.
package final class Scouts: Sendable {
    private let scouts: [Scout]
    private let answers: Bell
    /// How many databases of a fleet there are; nil where it is one database and no fleet.
    package let databases: Int?

    /// Scouts that have not set out yet, for whatever the options lead to.
    package init(
        _ options: GlobalOptions, _ workplace: Workplace,
        candidates: @escaping @Sendable () throws(Failure) -> [App]
    ) {
        let answers = Bell()
        let fleet = try? workplace.databases(options)
        let targets: [String?] = fleet.map { $0.members.prefix(Self.most).map { $0.database } } ?? [options.database]
        scouts = targets.map { Scout(database: $0, answers: answers, candidates: candidates) }
        self.answers = answers
        databases = fleet?.members.count
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
        start()
        // Servers that were waited for in vain are not waited for again before they say something.
        let deadline = Moment.now + (scouts.allSatisfy(\.wasInVain) ? min(seconds, Self.glance) : seconds)
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
            guard Moment.now < deadline, answers.wait(within: deadline - Moment.now) else {
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
    /// Databases that are looked into for a prompt and for completion, each on a connection of its own.
    private static let most = 32
}
