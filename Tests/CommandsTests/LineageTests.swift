import Testing

@testable import Commands

/// Which members of a fleet are one database.
@Suite struct LineageTests {
    private let prod = Member(name: "prod", database: nil)
    private let staging = Member(name: "staging", database: nil)
    private let standby = Member(name: "standby", database: nil)
    private let work = Member(name: "work", database: nil)

    private func server(
        _ started: String, timeline: Int = 1, isStandby: Bool = false, coordinator: String? = nil,
        name: String = "7/5"
    ) -> Identity {
        Identity(name: name, started: started, timeline: timeline, isStandby: isStandby, coordinator: coordinator)
    }

    @Test func twoWaysToOneServerAreOneDatabase() {
        let found = Lineages.kinships([(prod, server("a")), (staging, server("a"))])
        #expect(found == [staging: .same(as: prod)])
    }

    /// A copy of the cluster that was promoted has the same name.
    @Test func twoThatAreWrittenAreTwo() {
        let found = Lineages.kinships([(prod, server("a")), (staging, server("b", timeline: 2))])
        #expect(found == [staging: .copy(of: prod)])
    }

    @Test func aStandbyIsOneWithItsPrimary() {
        let follower = server("c", isStandby: true)
        #expect(Lineages.kinships([(standby, follower), (prod, server("a"))]) == [standby: .same(as: prod)])
        // Of two it follows the one whose history it has, whichever stands first.
        let two = [(standby, follower), (staging, server("b", timeline: 2)), (prod, server("a"))]
        #expect(Lineages.kinships(two) == [prod: .copy(of: staging), standby: .same(as: prod)])
        // Where that tells nothing, nobody guesses, and nothing is counted twice.
        let alike = [(standby, follower), (staging, server("b")), (prod, server("a"))]
        #expect(Lineages.kinships(alike)[standby] == .standby(ofOne: [staging, prod]))
        // A standby is late, and not ahead.
        #expect(
            Lineages.kinships([(standby, follower), (prod, server("a", timeline: 2))]) == [standby: .same(as: prod)])
        let strange = server("c", timeline: 2, isStandby: true)
        #expect(Lineages.kinships([(standby, strange), (prod, server("a"))]) == [standby: .copy(of: prod)])
        // Whatever it is late behind may have left its history; another that is late too says nothing of that.
        let late = [
            (work, server("f", isStandby: true)), (standby, follower), (staging, server("b", timeline: 2)),
            (prod, server("a", timeline: 3)),
        ]
        #expect(Lineages.kinships(late)[standby] == .standby(ofOne: [staging, prod]))
        // Without a primary one of them stands for it, and one of another history does not.
        let other = server("d", timeline: 2, isStandby: true)
        let followers = [(standby, follower), (prod, server("e", isStandby: true)), (staging, other)]
        #expect(Lineages.kinships(followers) == [prod: .same(as: standby), staging: .copy(of: standby)])
    }

    @Test func aWorkerIsPartOfItsCoordinator() {
        let worker = server("w", coordinator: "7/5", name: "8/5")
        #expect(Lineages.kinships([(work, worker), (prod, server("a"))]) == [work: .worker(of: prod)])
        #expect(Lineages.kinships([(work, worker), (prod, server("a", name: "9/5"))]) == [:])
    }
}
