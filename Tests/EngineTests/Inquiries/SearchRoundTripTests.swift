import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// A search needs few round trips, because usher sends cheap stages together.
@Suite struct SearchRoundTripTests {
    /// Does some work over one connection and returns the number of round trips.
    private func trips(_ sample: Sample, _ work: (Connection) throws -> Void) throws -> Int {
        let connection = try sample.database.connect()
        let before = connection.roundTrips
        try work(connection)
        return connection.roundTrips - before
    }

    private func find(_ text: String, in sample: Sample, by way: FoundUsers.Way?) throws -> Int {
        try trips(sample) { connection in
            let found = try UserSearch.find(
                text, limit: 20, on: connection, candidates: [sample.app], options: InquiryOptions())
            #expect(found.way == way, "\(text)")
        }
    }

    private func show(_ text: String, in sample: Sample) throws -> Int {
        try trips(sample) { connection in
            _ = try UserQuestion(user: text, wantsEverything: true).ask(
                on: connection, candidates: [sample.app], options: InquiryOptions())
        }
    }

    private func value(_ query: Query, in sample: Sample) throws -> String {
        try #require(try sample.database.connect().execute(query).only().values[0].text)
    }

    @Test func userSearchSendsCheapQueriesTogether() throws {
        let sample = try Sample()
        let key = try value("select id::text from auth.users where email is not null order by id limit 1", in: sample)
        let address = try value(
            "select email::text from auth.users where email is not null order by id limit 1", in: sample)
        #expect(try find(address, in: sample, by: .address) == 2)
        #expect(try find(key, in: sample, by: .id) == 2)
        // If the text isn't a whole name, usher also searches for objects whose names begin with the text.
        #expect(try find(String(address.prefix(4)), in: sample, by: .prefix) == 4)
        let nobody = try find("nobody at all", in: sample, by: nil)
        // The last stage also searches the objects that belong to no user.
        #expect(nobody == 4)
        let payment = try value(
            "select transaction_id from public.iap_transactions where user_id is not null order by 1 limit 1",
            in: sample)
        let paid = try find(payment, in: sample, by: .object)
        #expect(paid == 3)
    }

    @Test func completionOfAnEmailNeedsOneRoundTrip() throws {
        let sample = try UserLookupTests.many.get()
        let connection = try sample.database.connect()
        let place = try ConnectionSummary.look(on: connection, candidates: [sample.app], timeout: 10)
        let before = connection.roundTrips
        let answer = Lookup.addresses(beginning: "many432").found(in: place, within: 10, on: connection)
        #expect(connection.roundTrips - before == 1)
        #expect(answer.found.count == 11 && answer.isWhole)
    }

    @Test func userSearchAmongManyUsersSendsPrefixAndNameQueriesTogether() throws {
        let sample = try UserLookupTests.many.get()
        #expect(try find("many4321@example.com", in: sample, by: .address) == 2)
        #expect(try find("many432", in: sample, by: .prefix) == 4)
        #expect(try find("any19999", in: sample, by: .anywhere) == 5)
    }

    @Test func objectShowTakesThreeRoundTripsByKeyAndFourByName() throws {
        let sample = try Sample("xtablo")
        let name = try value("select name from public.organizations order by id limit 1", in: sample)
        let key = try value("select id::text from public.organizations order by id limit 1", in: sample)
        for (text, trips) in [(key, 3), (name, 4)] {
            let taken = try self.trips(sample) { connection in
                let inquiry = try Inquiry.open(on: connection, candidates: [sample.app], options: InquiryOptions())
                let row = try ObjectLookup("organization", in: inquiry).row(named: text, checking: false).row
                #expect(row.shown("id")?.text == key)
            }
            #expect(taken == trips, "\(text)")
        }
    }

    @Test func userShowTakesTwoRoundTripsByEmailAndThreeByPaymentId() throws {
        let sample = try Sample()
        let address = try value(
            "select email::text from auth.users where email is not null order by id limit 1", in: sample)
        #expect(try show(address, in: sample) == 2)
        let payment = try value(
            "select transaction_id from public.iap_transactions where user_id is not null order by 1 limit 1",
            in: sample)
        let paid = try show(payment, in: sample)
        #expect(paid == 3)
    }
}
