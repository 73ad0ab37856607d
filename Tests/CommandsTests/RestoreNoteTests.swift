import Accounts
import Commands
import Testing

/// What is said of what did not come back.
@Suite struct RestoreNoteTests {
    @Test(arguments: [
        (RestoreNote.changedSince(TableRows("public.clubs", 1)), "public.clubs: 1 row was changed at the deletion"),
        (.workedOn(TableRows("public.jobs", 2)), "public.jobs: 2 rows are not as the deletion added"),
        (.gone(TableRows("public.notes", 1)), "public.notes: 1 row is not there any more"),
        (.set(TableRows("public.post", 2), columns: ["at"]), "public.post: 2 rows are not as before in at, which"),
        (.written(TableRows("public.feed", 1)), "public.feed: triggers wrote 1 row that the archive"),
        (.deleted(TableRows("public.inbox", 2)), "public.inbox: triggers deleted 2 rows"),
        (
            .writtenAtDeletion(TableRows("public.queue", 1)),
            "public.queue: 1 row that triggers wrote at the deletion, and that is"
        ),
        (.uncounted, "the server counts nothing"),
    ])
    func eachSaysWhichRowsAndWhatBecameOfThem(_ note: RestoreNote, _ beginning: String) {
        #expect(note.sentence.hasPrefix(beginning), "\(note.sentence)")
    }
}
