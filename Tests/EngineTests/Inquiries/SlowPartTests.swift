import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// If a part of a report takes too long, usher shows the place of this part in the app file.
@Suite struct SlowPartTests {
    private static let slow = """
        -- @timeline notes
        select :now, 'note', 'a note', null from public.people p where p.id = :user and pg_sleep(20) is not null;
        -- @stat notes  Notes.
        select 'all', count(*) from public.people p where pg_sleep(20) is not null;
        -- @check notes  Notes are in order.
        select p.id from public.people p where pg_sleep(20) is not null;
        """

    private func isLate(_ reason: Failure?) -> Bool {
        guard let message = reason?.message else { return false }
        return message.hasPrefix("the result of ") && message.contains("did not arrive in time")
    }

    @Test func errorOfASlowQueryNamesItsPlaceInTheAppFile() throws {
        let (connection, app) = (try Lab().database.connect(), try Lab.app(Self.slow))
        let options = InquiryOptions(timeout: 0.5)
        let timeline = try Inquiry.open(on: connection, candidates: [app], options: options, for: .users).timeline(
            of: "1", since: nil, limit: 5)
        #expect(timeline.unavailable.map { isLate($0.reason) } == [true])
        let stats = try Inquiry.open(on: connection, candidates: [app], options: options).stats()
        #expect(isLate(stats.stats[0].unavailable))
        let checks = try Inquiry.open(on: connection, candidates: [app], options: options, for: .users).checks(
            nil, limit: 5)
        #expect(isLate(checks[0].unavailable))
    }
}
