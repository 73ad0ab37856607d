import AppFile
import Asking
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// usher finds the app file that fits a database.
@Suite struct DetectionTests {
    private func detect(_ candidates: [App], in database: TestDatabase) throws -> String {
        try Inquiry.open(
            on: try database.connect(), candidates: candidates, options: InquiryOptions(), isLast: true
        ).app.name
    }

    private func app(_ name: String, requiring requirements: String...) throws -> App {
        let requires = requirements.map { "-- @requires \($0)\n" }.joined()
        let users = "-- @users\n-- @key id\nselect p.* from public.people p;\n"
        return try Lab.app("", header: "-- @app \(name)  \(name)\n\(requires)\(users)")
    }

    @Test func usherDetectsTheAppWhoseRequirementsExist() throws {
        let database = try TestCluster.database(of: "impulse")
        #expect(try detect(try AppLibrary.candidates(), in: database) == "impulse")
    }

    /// usher parses the expected app file completely, and only the requirements of the other app files.
    @Test(arguments: ["impulse", "xtablo", "no such app", nil])
    func expectedAppNameDoesNotChangeTheDetectedApp(_ expected: String?) throws {
        let database = try TestCluster.database(of: "impulse")
        let candidates = try AppLibrary.candidates(expecting: expected)
        #expect(try detect(candidates, in: database) == "impulse")
        #expect(
            candidates.map(\.requires).map { $0.map(\.name) }
                == (try AppLibrary.candidates()).map { $0.requires.map(\.name) })
        let connection = try database.connect()
        let address = try #require(
            try connection.execute("select email from auth.users where email is not null order by id limit 1")
                .first?
                .values[0].text)
        let found = try UserSearch.find(
            address, limit: 1, on: connection, candidates: candidates, options: InquiryOptions())
        #expect(found.way == .address)
    }

    @Test func usherDetectsTheFittingAppWithTheMostRequirements() throws {
        let lab = try Lab()
        let some = try app("some", requiring: "public.people")
        let more = try app("more", requiring: "public.people", "public.people.mood")
        let other = try app("other", requiring: "public.people", "public.people.nose", "public.people.id")
        #expect(try detect([some, more, other], in: lab.database) == "more")
    }

    @Test func detectionErrorNamesTheAppsIfSeveralFitEquallyWell() throws {
        let lab = try Lab()
        let left = try app("left", requiring: "public.people.id")
        let right = try app("right", requiring: "public.people.email")
        let error = try failure { _ = try detect([left, right], in: lab.database) }
        #expect(error.kind == .failed)
        #expect(error.message == "several apps fit this database: left and right")
    }

    @Test func detectionFailsIfTheDatabaseIsEmpty() throws {
        let error = try failure {
            let several = try AppLibrary.candidates() + [try app("left", requiring: "public.people.id")]
            _ = try detect(several, in: try TestCluster.emptyDatabase())
        }
        #expect(error.kind == .failed)
        #expect(error.code == Failure.noApp && error.details.isEmpty)
    }

    @Test func detectionErrorListsTheMissingColumnsOfTheClosestAppFile() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run("create table public.people (id integer primary key)")
        let error = try failure {
            let several = [
                try app("right", requiring: "public.people.id", "public.moods.kind"),
                try app("left", requiring: "public.orders.id"),
            ]
            _ = try detect(several, in: database)
        }
        #expect(error.code == Failure.noApp)
        #expect(error.details == ["this database lacks public.moods.kind of the app right"])
    }

    @Test func detectionErrorListsTheMissingRequirementsOfAChosenApp() throws {
        let lab = try Lab()
        let error = try failure { _ = try detect([try AppLibrary.app("impulse")], in: lab.database) }
        #expect(error.kind == .failed)
        #expect(error.message.hasPrefix("this database doesn't match the app impulse: "))
        #expect(error.message.contains("public.profiles.subscription_tier"))
        let half = try app("half", requiring: "public.people.id", "public.people.nose", "public.houses")
        let missing = try failure { _ = try detect([half], in: lab.database) }
        #expect(
            missing.message
                == "this database doesn't match the app half: the database lacks public.people.nose, public.houses")
    }

    @Test func appOptionErrorListsTheKnownAppsOrNamesTheMissingFile() throws {
        let unknown = try failure { _ = try AppLibrary.app("nope") }
        #expect(unknown.kind == .usage)
        #expect(unknown.message == "there is no app named nope")
        #expect(unknown.hint?.contains("impulse") == true)
        let absent = try failure { _ = try AppLibrary.app("/nowhere/app.sql") }
        #expect(absent.kind == .usage)
        #expect(absent.message == "can't read /nowhere/app.sql: No such file or directory")
    }

    @Test func appOptionErrorListsAllMistakesOfABrokenAppFile() throws {
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "broken.sql", holding: "-- @app x  X\n-- @frob\n-- @users\nselect 1\n-- @panel\nselect (1;\n")
        let error = try failure { _ = try AppLibrary.app(file) }
        #expect(error.kind == .failed)
        #expect(error.details.count >= 3, "\(error)")
    }

    @Test func doctorDoesNotReportAMissingOptionalColumn() throws {
        let lab = try Lab()
        let app = try Lab.app(
            "",
            header: """
                -- @app club  Club
                -- @requires public.people
                -- @optional public.people.phone: text
                -- @users
                -- @key id
                select p.id, p.phone from public.people p;

                """)
        let found = try Doctor.examine(try lab.database.connect(), candidates: [app], options: InquiryOptions()) { 0 }
        #expect(!found.contains { $0.topic == "app file" && $0.health != .well }, "\(found)")
    }
}
