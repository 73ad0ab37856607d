import Foundation
import Support
import Testing

@Suite struct ShowTests {
    @Test func oneScreenSaysWhoWhatWhyAndWhatToDo() throws {
        let database = try TestCluster.database(of: "impulse").conninfo()
        let result = try Usher.run(["user", "show", "ada@example.com"], on: database)
        #expect(result.status == 0)
        #expect(result.errors == "")
        for part in ["ada@example.com", "paywall", "The trial ended at", "3 of 3", "Sessions"] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(!result.output.contains("\u{1B}"))
    }
}
