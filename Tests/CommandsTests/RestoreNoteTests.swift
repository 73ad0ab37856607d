import Accounts
import Commands
import Testing

/// What is said of what did not come back.
@Suite struct RestoreNoteTests {
    @Test(arguments: [
        (RestoreNote.changedSince(TableRows("public.clubs", 1)), "public.clubs: 1 row changed since the deletion"),
        (.gone(TableRows("public.notes", 1)), "public.notes: 1 row does not exist any more"),
        (.set(TableRows("public.post", 2), columns: ["at"]), "public.post: 2 rows differ in at, which"),
        (.written(TableRows("public.feed", 1)), "public.feed: triggers wrote 1 row that is not in the archive"),
        (.deleted(TableRows("public.inbox", 2)), "public.inbox: triggers deleted 2 rows"),
        (
            .writtenAtDeletion(TableRows("public.queue", 1)),
            "public.queue: 1 row added during the deletion still exists"
        ),
        (.uncounted, "the server does not count rows"),
    ])
    func eachSaysWhichRowsAndWhatBecameOfThem(_ note: RestoreNote, _ beginning: String) {
        #expect(note.sentence.hasPrefix(beginning), "\(note.sentence)")
    }
}
