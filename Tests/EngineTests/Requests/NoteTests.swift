import Acts
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

@Suite struct NoteTests {
    @Test func userNoteShowsItsAuthorAndTime() throws {
        let lab = try RequestLab()
        let text = "moved\n\u{1B}[31mred\u{202E} 'x' \"y\" \\"
        try lab.support.note("  \(text)  ", about: "one@example.com")
        try lab.admin.note("second", about: "1")
        let shown = try #require(try lab.other.notesAndRequests("1"))
        #expect(shown.notes.map { $0.shown("text")?.text } == ["second", text])
        #expect(shown.notes.map { $0.shown("operator")?.text } == ["desk_admin", "desk_support"])
        #expect(shown.notes.map { $0.shown("ticket")?.text } == ["T-1", "T-1"])
        #expect(try lab.other.notesAndRequests("2")?.notes.isEmpty == true)
        let timeline = try Inquiry.open(
            on: try lab.other.connect(), candidates: [lab.other.app], options: InquiryOptions(), for: .users
        ).timeline(of: "1", since: nil, limit: 9)
        #expect(timeline.events.map { $0.title.text } == ["second", text])
        #expect(timeline.events.map { $0.kind.text } == ["note", "note"])
        #expect(try lab.owner.isIntact())
    }

    @Test func userNoteIsRefusedIfItIsEmptyOrTooLong() throws {
        let lab = try RequestLab()
        for text in ["", " \n\t ", String(repeating: "x", count: 10_001)] {
            #expect(try failure { try lab.support.note(text, about: "1") }.kind == .usage)
        }
        #expect(try failure { try lab.support.note("x", about: "99") }.kind == .notFound)
        #expect(try lab.owner.operations() == 0)
        try lab.support.note(String(repeating: "ä", count: 10_000), about: "1")
        // A note can't be changed or undone.
        let note = try #require(try lab.owner.value("select id from usher.operation"))
        #expect(try failure { try lab.admin.undo(note) }.kind == .refused)
        #expect(try lab.owner.isIntact())
    }

    @Test func supportAdminAndEngineerCanAddNotesWithSQL() throws {
        let forgery = try ForgeryLab()
        func note(_ key: String, app: String = "lab") -> String {
            ForgeryLab.ask(
                "note",
                #"{"id": "\#(OtherID.make())", "app": "\#(app)", "key": "\#(key)", "text": "x", "operator": "me"}"#)
        }
        for role in ["support", "admin", "engineer"] {
            #expect(try forgery.result(role, inOne: note("1")) == "done")
            #expect(try forgery.result(role, inOne: note("99")) == "US004")
            #expect(try forgery.result(role, inOne: note("1; drop")) == "22P02")
            #expect(try forgery.result(role, inOne: note("1", app: "other")) == "US008")
            #expect(try forgery.result(role, inOne: "select pg_current_xact_id()", note("1")) == "25000")
        }
        for role in ["eraser", "auditor", "nobody"] { #expect(try forgery.result(role, inOne: note("1")) == "42501") }
        #expect(
            try forgery.lab.rows("select operator from usher.operation order by at").map(\.[0])
                == ["support", "admin", "engineer"].map(ForgeryLab.login))
        #expect(try forgery.lab.isIntact())
        #expect(try forgery.lab.value("select count(*) from usher.note") == "3")
        try forgery.database.run(
            "update usher.note set key = '2' where operation = (select min(operation::text)::uuid from usher.note)")
        #expect(
            try forgery.database.auditFindings().map {
                $0.hasSuffix("the note has no operation in the audit log that wrote it")
            } == [true])
    }

    @Test func userReportHasNoNotesOrRequestsWithoutAnAuditLog() throws {
        #expect(try Lab().ask("1", "").desk == nil)
    }
}
