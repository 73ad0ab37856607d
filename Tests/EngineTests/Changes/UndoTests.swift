import AppFile
import Asking
import Changes
import PQ
import Support
import Testing

/// usher undoes an operation, or refuses the undo.
@Suite struct UndoTests {
    private static let app = """
        -- @account
        -- @root public.people.id

        -- @action lab go  Does it.
        -- @do
        update public.people set tier = 'paid', score = score + 1 where id = any(:users);

        -- @action lab add  Adds a letter.
        -- @do
        insert into public.letters (id, person) select 100 + u, u from unnest(:users) u;

        -- @action lab drop  Drops the letters.
        -- @do
        delete from public.letters where person = any(:users);

        -- @object letter  A letter.
        -- @key id
        -- @user person
        select l.id, l.person, l.text from public.letters l;

        -- @action letter send  Sends letters.
        -- @on letter
        -- @do
        update public.letters set text = 'sent' where id = any(:keys);

        -- @action lab end  For good.
        -- @final
        -- @do
        update public.people set score = 0 where id = any(:users);
        """
    private static let tables = [
        "create table public.letters (id integer primary key, person integer references public.people on delete cascade, text text)",
        "create table public.lines (id integer primary key, letter integer references public.letters on delete cascade)",
        "create table public.marks (id integer primary key, letter integer references public.letters on delete set null)",
    ]

    private func lab() throws -> ChangeLab { try ChangeLab(Self.app, Self.tables[0], Self.tables[1], Self.tables[2]) }

    private func refusal(_ lab: ChangeLab, _ operation: String?) throws -> Failure {
        let before = try lab.everything()
        let refusal = try failure { try lab.undo(operation) }
        #expect(try lab.everything() == before)
        return refusal
    }

    private func undo(_ operation: String?, except users: [String]) throws -> ChangeRequest {
        var request = ChangeRequest(.undo(operation: try #require(operation)))
        request.except = users
        return request
    }

    /// A value that equals the key of the skipped user doesn't make a row the user's own.
    @Test func undoWithExceptSkipsOnlyTheRowsOfTheUser() throws {
        let lab = try lab()
        try lab.database.run("update people set score = 2 where id = 1", "update people set score = 5 where id = 2")
        var request = ChangeRequest.action("lab", "go", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.run(try undo(operation, except: ["2"]))
        #expect(try lab.rows("select score from people where id in (1, 2) order by id") == [["2"], ["6"]])
        // The second undo restores only the skipped user, although the row of the other user has the same values again.
        try lab.run(.action("lab", "go", on: "1"))
        try lab.undo(operation)
        #expect(try lab.rows("select score from people where id in (1, 2) order by id") == [["3"], ["5"]])
        #expect(try lab.isIntact())
    }

    /// The undo for all users restores the columns that the operation changed, even if the owner of the row changed.
    @Test func undoWithExceptDoesNotChangeARowThatMovedToTheUser() throws {
        let blocks = """
            -- @action lab send  Sends the letters.
            -- @do
            update public.letters set text = 'sent' where person = any(:users);
            """
        let lab = try ChangeLab(
            blocks, Self.tables[0], "insert into public.letters values (1, 1, 'new'), (2, 2, 'new')")
        var request = ChangeRequest.action("lab", "send", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.database.run("update public.letters set person = 2 where id = 1")
        let refused = try failure { try lab.run(try undo(operation, except: ["2"])) }
        #expect(refused.code == "changed_since")
        #expect(refused.details.map { $0.hasSuffix("has another value now in person") } == [true], "\(refused.details)")
        #expect(try lab.rows("select text from letters order by id") == [["sent"], ["sent"]])
        try lab.undo(operation)
        #expect(try lab.rows("select text, person from letters order by id") == [["new", "2"], ["new", "2"]])
    }

    /// Notes between users, and the operation of an action on the users 1, 2 and 3 that changed all notes.
    private func noted(_ notes: String) throws -> (lab: ChangeLab, operation: String) {
        let blocks = """
            -- @action note send  Sends the notes.
            -- @do
            update public.notes set text = 'sent' where sender = any(:users) or recipient = any(:users);
            """
        let lab = try ChangeLab(
            blocks,
            """
            create table public.notes (id integer primary key, text text default 'new',
                                       sender integer references public.people, recipient integer references public.people)
            """, "insert into public.notes (id, sender, recipient) values \(notes)")
        var request = ChangeRequest.action("note", "send", on: "1")
        request.subjects = ["1", "2", "3"]
        return (lab, try #require(try lab.run(request).operation))
    }

    /// The note 1 belongs to the users 1 and 2, so an undo can skip both or none of them.
    @Test func undoCannotSkipOnlyOneOfTheUsersOfARow() throws {
        let (lab, operation) = try noted("(1, 1, 2), (2, 3, 3), (3, 1, null)")
        func sent() throws -> String? {
            try lab.value("select string_agg(id::text, ' ' order by id) from notes where text = 'sent'")
        }
        for users in [["1"], ["2"], ["2", "3"]] {
            let refused = try failure { try lab.run(try undo(operation, except: users)) }
            #expect(refused.code == "shared_rows")
            #expect(refused.message.contains("public.notes"))
        }
        #expect(try sent() == "1 2 3")
        try lab.run(try undo(operation, except: ["1", "2"]))
        #expect(try sent() == "1 3")
        // The second undo doesn't restore notes that the first undo restored.
        try lab.database.run("update public.notes set text = 'sent' where id = 2")
        try lab.undo(operation)
        #expect(try sent() == "2")
        #expect(try refusal(lab, operation).code == "undone")
        #expect(try lab.isIntact())
    }

    /// Otherwise the operation would count as undone, although the rows of the first part are changed again.
    @Test func partsOfAnUndoAreUndoneFromTheLatestToTheFirst() throws {
        let (lab, operation) = try noted("(1, 1, 1), (2, 2, 2), (3, 3, 3)")
        let first = try lab.run(try undo(operation, except: ["2", "3"])).operation
        let second = try lab.undo(operation).operation
        #expect(try refusal(lab, first).code == "in_parts")
        try lab.undo(second)
        try lab.undo(first)
        #expect(try lab.value("select count(*) from notes where text = 'sent'") == "3")
        try lab.undo(operation)
        #expect(try lab.value("select count(*) from notes where text = 'new'") == "3")
        #expect(try lab.isIntact())
    }

    @Test func laterUndoOfAnOperationBlocksTheUndoOfAnEarlierUndo() throws {
        let (lab, operation) = try noted("(1, 1, 1), (2, 2, 2), (3, 3, 3)")
        let part = try lab.run(try undo(operation, except: ["2", "3"])).operation
        let again = try lab.undo(try lab.undo(part).operation).operation
        let rest = try lab.undo(operation).operation
        #expect(try refusal(lab, again).code == "in_parts")
        try lab.undo(rest)
        try lab.undo(again)
        try lab.undo(operation)
        #expect(try lab.value("select count(*) from notes where text = 'new'") == "3")
    }

    /// The first undo also restored a note of another user; a later change of this note is not part of the operation.
    @Test func secondUndoKeepsALaterChangeOfAForeignRow() throws {
        let blocks = """
            -- @action note send  Sends the notes of the users, and of the user 3 with them.
            -- @do
            update public.notes set text = text || '!' where sender = any(:users) or sender = 3 and 1 = any(:users);

            -- @action note mark  Marks the notes.
            -- @do
            update public.notes set text = text || '!' where sender = any(:users);
            """
        let lab = try ChangeLab(
            blocks,
            "create table public.notes (id integer primary key, text text, sender integer references public.people)",
            "insert into public.notes values (1, '', 1), (2, '', 2), (3, '', 3)")
        var request = ChangeRequest.action("note", "send", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.run(try undo(operation, except: ["2"]))
        try lab.run(.action("note", "mark", on: "3"))
        try lab.undo(operation)
        #expect(try lab.rows("select text from notes order by id") == [[""], [""], ["!"]])
    }

    /// Otherwise the operation would count as undone, although some rows are changed again.
    @Test func undoOfAnUndoCannotSkipAUser() throws {
        let (lab, operation) = try noted("(1, 1, 1), (2, 2, 2), (3, 3, 3)")
        let undo = try lab.undo(operation).operation
        #expect(try failure { try lab.run(try self.undo(undo, except: ["2"])) }.code == "excepted_undo")
        #expect(try lab.value("select count(*) from notes where text = 'new'") == "3")
    }

    /// The record of a change of a key is a deleted and an inserted row.
    @Test func undoRefusesToInsertARowWhoseKeyChangedAndThatWasDeletedSince() throws {
        let blocks = """
            -- @action code swap  Changes the codes.
            -- @do
            update public.codes set code = code || 'x' where person = any(:users);
            """
        let lab = try ChangeLab(
            blocks, "create table public.codes (code text primary key, person integer references public.people)",
            "insert into public.codes values ('a', 1), ('b', 2)")
        let operation = try lab.run(.action("code", "swap", on: "1")).operation
        try lab.database.run("delete from public.codes where code = 'ax'")
        #expect(try refusal(lab, operation).code == "changed_since")
        #expect(try lab.rows("select code from codes") == [["b"]])
    }

    @Test func undoRefusesToInsertAReplacedRowThatWasDeletedSince() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action(
                "delete from public.letters where person = any(:users)",
                "insert into public.letters select 1, u, 'new' from unnest(:users) u"), Self.tables[0],
            "insert into public.letters values (1, 1, 'old')")
        let operation = try lab.run(ChangedRowsTests.go).operation
        try lab.database.run("delete from public.letters")
        #expect(try refusal(lab, operation).details == [#"public.letters {"id": 1} does not exist any more"#])
        try lab.database.run("insert into public.letters values (1, 1, 'new')")
        try lab.undo(operation)
        #expect(try lab.value("select text from letters") == "old")
    }

    /// Another change can move the row to another key, so the operation would still have an effect.
    @Test func undoIsRefusedIfAnInsertedRowIsGone() throws {
        let lab = try lab()
        var request = ChangeRequest.action("lab", "add", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.database.run("update public.letters set id = 999 where id = 101")
        #expect(try refusal(lab, operation).details == [#"public.letters {"id": 101} does not exist any more"#])
    }

    /// If the undo deletes the new parent first, the cascade deletes the rows that refer to it.
    @Test func undoRestoresAKeyWhoseReferencesCascade() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action("update public.handles set handle = 'new' where person = any(:users)"),
            "create table public.handles (handle text primary key, person integer)",
            """
            create table public.mentions (id integer primary key,
                handle text references public.handles on update cascade on delete cascade)
            """, "insert into public.handles values ('old', 1)", "insert into public.mentions values (1, 'old')")
        let before = try lab.rows("select * from handles join mentions using (handle)")
        let operation = try lab.run(ChangedRowsTests.go).operation
        try lab.undo(operation)
        #expect(try lab.rows("select * from handles join mentions using (handle)") == before)
    }

    /// A column that was added after the operation refers to users, but the record doesn't show its values.
    @Test func undoCannotSkipAUserIfRowsMayBelongToAnotherUserNow() throws {
        let (lab, operation) = try noted("(1, 1, 1), (2, 2, 2), (3, 3, 3)")
        try lab.database.run("alter table public.notes add reader integer references public.people")
        #expect(try failure { try lab.run(try undo(operation, except: ["2"])) }.code == "unclear_owner")
        try lab.undo(operation)
        #expect(try lab.value("select count(*) from notes where text = 'new'") == "3")
    }

    @Test func undoIsCompleteIfItSkipsOnlyUsersOfAnEarlierUndo() throws {
        let (lab, operation) = try noted("(1, 1, 1), (2, 2, 2), (3, 3, 3)")
        try lab.run(try undo(operation, except: ["2", "3"]))
        try lab.run(try undo(operation, except: ["1"]))
        #expect(try lab.rows("select text from notes order by id") == [["new"], ["new"], ["new"]])
        #expect(try refusal(lab, operation).code == "undone")
    }

    /// With psql, an operator can call `usher.undo` with any keys in `except`.
    @Test(arguments: ["null", "\"3\""]) func undoRefusesToSkipAUserWhomTheOperationDidNotChange(_ key: String) throws {
        let lab = try lab()
        let operation = try #require(try lab.run(.action("lab", "go", on: "1")).operation)
        let error = try #require(throws: PQError.self) {
            try lab.database.session { connection in
                _ = try connection.execute("begin isolation level repeatable read")
                defer { _ = try? connection.execute("rollback") }
                _ = try connection.execute(
                    Query(unsafe: "select usher.undo('{\"operation\": \"\(operation)\", \"except\": [\(key)]}')"))
            }
        }
        #expect(Failure(error).state?.rawValue == "US004")
    }

    @Test func undoCannotSkipAUserIfTheOwnersOfRowsAreUnclear() throws {
        let blocks = """
            -- @action lab mark  Marks the lines.
            -- @do
            update public.lines set id = l.id + 1000 from public.letters t, public.lines l
             where lines.id = l.id and t.id = l.letter and t.person = any (:users);
            """
        let lab = try ChangeLab(
            blocks, Self.tables[0], Self.tables[1],
            "insert into public.letters values (1, 1), (2, 2)", "insert into public.lines values (10, 1), (20, 2)")
        var request = ChangeRequest.action("lab", "mark", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        #expect(try failure { try lab.run(try undo(operation, except: ["2"])) }.code == "unclear_owner")
        #expect(try lab.rows("select id from lines order by id") == [["1010"], ["1020"]])
    }

    @Test func refusedUndoNamesRowsThatChangedAfterTheOperation() throws {
        let lab = try lab()
        var request = ChangeRequest.action("lab", "go", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.database.run("update public.people set score = 77, seen = now() where id = 2")
        let refused = try refusal(lab, operation)
        #expect(refused.kind == .refused)
        #expect(refused.code == "changed_since")
        #expect(refused.details == ["Two@Example.com: public.people has another value now in score"])
        try lab.database.run("delete from public.people where id = 2")
        #expect(try refusal(lab, operation).details == [#"public.people {"id": 2} does not exist any more"#])
        #expect(
            try lab.operations(
                where: "kind = 'undo' and outcome = 'refused' and payload ->> 'undoes' = '\(operation ?? "")'") == 2)
    }

    @Test func undoIgnoresLaterWritesToOtherColumns() throws {
        let lab = try lab()
        let operation = try lab.run(.action("lab", "go", on: "1")).operation
        try lab.database.run("update public.people set seen = '2030-01-01', mood = 'sad' where id = 1")
        try lab.undo(operation)
        #expect(
            try lab.value("select concat_ws(' ', tier, score, mood, seen::date) from people where id = 1")
                == "free 10 sad 2030-01-01")
    }

    @Test func undoRefusesToDeleteAReferencedRow() throws {
        let lab = try lab()
        let operation = try lab.run(.action("lab", "add", on: "1")).operation
        try lab.database.run("insert into public.lines values (1, 101)")
        let refused = try refusal(lab, operation)
        #expect(refused.kind == .refused)
        #expect(refused.details == [#"public.lines {"id": 1} would be deleted"#])
        try lab.database.run("delete from public.lines", "insert into public.marks values (1, 101)")
        #expect(try refusal(lab, operation).details == [#"public.marks {"id": 1} would be updated"#])
        try lab.database.run("delete from public.marks")
        try lab.undo(operation)
        #expect(try lab.value("select count(*) from letters") == "0")
    }

    @Test func undoRefusesToInsertAnExistingRow() throws {
        let lab = try lab()
        try lab.database.run("insert into public.letters values (1, 1, 'x')")
        let operation = try lab.run(.action("lab", "drop", on: "1")).operation
        try lab.database.run("insert into public.letters values (1, 2, 'y')")
        let refused = try refusal(lab, operation)
        #expect(refused.details == [#"public.letters {"id": 1} exists again"#], "\(refused)")
    }

    @Test func undoneOperationCannotBeUndoneAgain() throws {
        let lab = try lab()
        let operation = try lab.run(.action("lab", "go", on: "1")).operation
        let undone = try lab.undo(operation).operation
        #expect(try refusal(lab, operation).code == "undone")
        try lab.undo(undone)
        try lab.undo(operation)
        #expect(try lab.value("select tier from people where id = 1") == "free")
        #expect(try lab.isIntact())
    }

    @Test func finalOrFailedOperationsCannotBeUndone() throws {
        let lab = try lab()
        let final = try lab.run(.action("lab", "end", on: "1")).operation
        #expect(try refusal(lab, final).code == "final")
        _ = try? lab.run(.action("lab", "add", on: "1"))
        let twice = try failure { try lab.run(.action("lab", "add", on: "1")) }
        #expect(twice.kind == .failed)
        let failed = try lab.value("select id from usher.operation where outcome = 'failed' order by at desc limit 1")
        #expect(try refusal(lab, failed).code == "not_done")
        #expect(try failure { try lab.undo("00000000-0000-4000-8000-000000000000") }.kind == .notFound)
    }

    @Test func operationOfADeletedUserCannotBeUndone() throws {
        let lab = try lab()
        let before = try lab.value("select score from people where id = 2")
        let operation = try lab.run(.action("lab", "go", on: "1")).operation
        var both = ChangeRequest.action("lab", "go", on: "1")
        both.subjects = ["1", "2"]
        let ofTwo = try lab.run(both).operation
        both = ChangeRequest.action("lab", "end", on: "1")
        both.subjects = ["1", "3"]
        let final = try lab.run(both).operation
        let connection = try lab.database.connect()
        let id = "00000000-0000-4000-8000-000000000001"
        for query in [
            "begin",
            """
            select usher.erase(jsonb_build_object('operation', \(id)::text, 'keys', '["1"]'::jsonb, 'reason', 'asked',
                'root', '{"schema": "public", "table": "people", "key": "id"}'::jsonb))
            """, "delete from public.people where id = 1", "commit",
        ] as [Query] {
            _ = try connection.execute(query)
        }
        #expect(try refusal(lab, operation).code == "erased")
        #expect(try refusal(lab, final).code == "final")
        // The entries of other users stay.
        let undone = try lab.undo(ofTwo)
        #expect(undone.changes.count == 1)
        #expect(undone.warnings.map(\.sentence.plain) == [LeftBehind.erased(1).sentence])
        #expect(try lab.value("select score from people where id = 2") == before)
        #expect(
            try lab.value(
                "select payload -> 'erased' from usher.operation where kind = 'undo' and outcome = 'committed'")
                == "1")
        #expect(try failure { try lab.undo(ofTwo) }.code == "undone")
        // Undoing the undo affects the same users.
        try lab.undo(undone.operation)
        #expect(try lab.value("select tier from people where id = 2") == "paid")
        #expect(try lab.isIntact())
    }

    /// The deletion of a user erases the list of the objects, so usher can't tell which rows to restore.
    @Test func undoOfAnActionOnObjectsIsRefusedIfAUserOfOneObjectWasDeleted() throws {
        let lab = try lab()
        try lab.database.run("insert into public.letters values (1, 1, 'draft'), (2, 2, 'draft')")
        var request = ChangeRequest.action("letter", "send", on: "1")
        request.subjects = ["1", "2"]
        let operation = try lab.run(request).operation
        try lab.database.run(
            "begin",
            """
            select usher.erase('{"operation": "00000000-0000-4000-8000-000000000001", "keys": ["1"], "reason": "asked",
                "root": {"schema": "public", "table": "people", "key": "id"}}')
            """, "delete from public.people where id = 1", "commit")
        #expect(try refusal(lab, operation).code == "erased")
    }

    /// The number in a column can be a user's key or something else.
    @Test func deletionErasesOnlyTheDeletedUsersRowsOfAnOperation() throws {
        let lab = try lab()
        var both = ChangeRequest.action("lab", "add", on: "1")
        both.subjects = ["1", "2"]
        let operation = try #require(try lab.run(both).operation)
        let connection = try lab.database.connect()
        for query in [
            "begin",
            """
            select usher.erase(jsonb_build_object('operation', \(LedgerLab.id(1))::text, 'keys', '["1"]'::jsonb, 'reason', 'asked',
                'root', '{"schema": "public", "table": "people", "key": "id"}'::jsonb))
            """, "delete from public.people where id = 1", "commit",
        ] as [Query] {
            _ = try connection.execute(query)
        }
        #expect(
            try lab.rows(
                "select payload -> 'after' -> 'person' from usher.change where operation = '\(operation)' order by 1")
                == [["2"], [nil]])
        #expect(try lab.isIntact())
    }

    @Test func refusedUndoNamesATableThatWasRenamedAfterTheOperation() throws {
        let lab = try lab()
        let operation = try lab.run(.action("lab", "add", on: "1")).operation
        try lab.database.run("alter table public.letters rename to epistles")
        #expect(
            try failure { try lab.undo(operation) }.message
                == "the table public.letters was dropped, renamed or lost its key after the operation, so usher can't undo the operation"
        )
    }

    @Test func undoShowsAPreviewWithoutChangingARow() throws {
        let lab = try lab()
        let operation = try lab.run(.action("lab", "go", on: "1")).operation
        let before = try lab.everything()
        let plan = try lab.plan(ChangeRequest(.undo(operation: try #require(operation))))
        #expect(plan.lines == [#"~ public.people {"id": 1} tier: paid → free, score: 11 → 10"#])
        #expect(try lab.everything() == before)
    }

    // MARK: Triggers

    /// A trigger that sets the time of the last change, as most tables have one.
    private static let touch = [
        "alter table public.people add touched timestamptz not null default '2026-01-01'",
        """
        create function public.touch() returns trigger language plpgsql as $$ begin
            new.touched := clock_timestamp(); return new;
        end $$
        """,
        "create trigger touch before update on public.people for each row execute function public.touch()",
    ]

    private func touched(_ statement: String, _ more: String...) throws -> ChangeLab {
        let lab = try ChangeLab(ChangedRowsTests.action(statement), Self.touch[0], Self.touch[1], Self.touch[2])
        for statement in more { try lab.database.run(statement) }
        return lab
    }

    private func row(_ lab: ChangeLab, _ id: Int = 1) throws -> String? {
        try lab.value("select (to_jsonb(p) - 'touched')::text from people p where id = \(id)")
    }

    @Test(arguments: [
        "tier = case when score > 5 then 'paid' else tier end, score = score + 1, mood = 'sad'",
        "tier = (score is distinct from 5)::text, score = score + 1, mood = 'sad'",
        "(tier, score) = (select 'from', 1), mood = 'sad'",
    ]) func undoRestoresEveryColumnThatAnUpdateSets(list: String) throws {
        let lab = try touched("update public.people set \(list) where id = any(:users)")
        let before = try row(lab)
        let done = try lab.run(ChangedRowsTests.go)
        #expect(try #require(done.changes.first).columns.map(\.name) == ["tier", "mood", "score", "touched"])
        let undone = try lab.undo(done.operation)
        #expect(try row(lab) == before)
        #expect(
            undone.warnings.map(\.sentence.plain) == [
                LeftBehind.overwritten("touched", table: "public.people").sentence
            ])
        try lab.undo(undone.operation)
        #expect(try row(lab) != before)
    }

    @Test func undoRestoresAColumnThatATriggerWroteInTheChange() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action("update public.people set tier = 'paid' where id = any(:users)"),
            """
            create function public.bonus() returns trigger language plpgsql as $$ begin
                if new.tier = 'paid' then new.score := new.score + 5; end if;
                return new;
            end $$
            """, "create trigger bonus before update on public.people for each row execute function public.bonus()")
        let before = try lab.everything()
        let done = try lab.run(ChangedRowsTests.go)
        #expect(done.lines == [#"~ public.people {"id": 1} tier: free → paid, score: 10 → 15"#])
        #expect(try lab.undo(done.operation).warnings.isEmpty)
        #expect(try lab.everything() == before)
    }

    @Test func undoIgnoresALaterUpdatedAtTime() throws {
        let lab = try touched("update public.people set tier = 'paid' where id = any(:users)")
        let operation = try lab.run(ChangedRowsTests.go).operation
        try lab.database.run("update public.people set mood = 'sad' where id = 1")
        try lab.undo(operation)
        #expect(try lab.value("select concat_ws(' ', tier, mood) from people where id = 1") == "free sad")
    }

    @Test func undoIsRefusedIfAColumnChangedAfterTheOperation() throws {
        let lab = try touched("update public.people set tier = 'paid', score = 1 where id = any(:users)")
        let operation = try lab.run(ChangedRowsTests.go).operation
        try lab.database.run("update public.people set score = 2 where id = 1")
        let refused = try failure { try lab.undo(operation) }
        #expect(refused.code == "changed_since")
        #expect(refused.details == [#"public.people {"id": 1} has another value now in score"#])
        #expect(try lab.value("select concat_ws(' ', tier, score) from people where id = 1") == "paid 2")
    }

    /// A trigger that also alters the restored value doesn't decide alone which value the column has.
    @Test func undoKeepsALaterValueOfAColumnWhoseRestoredValueATriggerAlters() throws {
        let lab = try touched(
            "update public.people set email = 'a@x.io', score = 30 where id = any(:users)",
            "update public.people set email = 'Ada@X.io', score = 5 where id = 1",
            """
            create function public.low() returns trigger language plpgsql as $$ begin
                new.email := lower(new.email); new.score := greatest(new.score, 10); return new;
            end $$
            """, "create trigger low before update on public.people for each row execute function public.low()")
        let operation = try lab.run(ChangedRowsTests.go).operation
        for (later, name) in [("email = 'LATER@x.io'", "email"), ("email = 'a@x.io', score = 40", "score")] {
            try lab.database.run("update public.people set \(later) where id = 1")
            #expect(
                try refusal(lab, operation).details == [#"public.people {"id": 1} has another value now in \#(name)"#])
        }
        try lab.database.run("update public.people set score = 30 where id = 1")
        try lab.undo(operation)
        #expect(try lab.value("select concat_ws(' ', email, score) from people where id = 1") == "ada@x.io 10")
    }

    /// A trigger that fires only for some rows overwrites the column only in these rows.
    @Test func undoChecksForEachRowWhichColumnsATriggerOverwrites() throws {
        let lab = try touched(
            "update public.people set tier = 'gold', touched = '2026-05-05' where id = any(:users)",
            "drop trigger touch on public.people",
            """
            create trigger touch before update on public.people for each row when (old.id = 1)
                execute function public.touch()
            """)
        var both = ChangedRowsTests.go
        both.subjects = ["1", "2"]
        let operation = try lab.run(both).operation
        try lab.database.run("update public.people set touched = '2026-03-03'")
        let refused = try failure { try lab.undo(operation) }
        #expect(refused.details == [#"public.people {"id": 2} has another value now in touched"#])
        try lab.database.run("update public.people set touched = '2026-05-05'")
        try lab.undo(operation)
        #expect(
            try lab.value("select concat_ws(' ', tier, touched = '2026-01-01') from people where id = 2") == "paid t")
    }

    @Test func undoIsRefusedIfATriggerSkipsTheUpdateOfARow() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action("update public.people set tier = 'paid' where id = any(:users)"))
        var both = ChangedRowsTests.go
        both.subjects = ["1", "3"]
        let operation = try lab.run(both).operation
        try lab.database.run(
            """
            create function public.swallow() returns trigger language plpgsql as $$ begin
                return case when old.id = 1 then null else new end;
            end $$
            """,
            "create trigger swallow before update on public.people for each row execute function public.swallow()")
        let refused = try refusal(lab, operation)
        #expect(refused.code == "not_restored")
        #expect(refused.details == [#"public.people {"id": 1} does not have the expected values"#])
    }

    /// The change itself wrote no row, so the undo restores nothing and still succeeds.
    @Test func undoReportsAColumnThatOnlyATriggerWrote() throws {
        let lab = try touched("update public.people set tier = tier where id = any(:users)")
        let operation = try lab.run(ChangedRowsTests.go).operation
        let undone = try lab.undo(operation)
        #expect(
            undone.warnings.map(\.sentence.plain) == [
                LeftBehind.overwritten("touched", table: "public.people").sentence
            ])
    }

    /// A row that the undo inserts again fires INSERT triggers.
    @Test func undoReportsOverwrittenColumnsOfReinsertedRows() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action("delete from public.letters where person = any(:users)"), Self.tables[0],
            """
            create function public.stamp() returns trigger language plpgsql as $$ begin
                new.text := 'made ' || clock_timestamp(); return new;
            end $$
            """,
            "create trigger stamp before insert on public.letters for each row execute function public.stamp()",
            "insert into public.letters values (1, 1, 'x')")
        let operation = try lab.run(ChangedRowsTests.go).operation
        let undone = try lab.undo(operation)
        #expect(
            undone.warnings.map(\.sentence.plain) == [LeftBehind.overwritten("text", table: "public.letters").sentence])
        #expect(try lab.value("select person from letters") == "1")
    }

    /// After the triggers ran, the undo corrects the rows without firing triggers again.
    @Test func undoRestoresRowsOfAnotherTableThatATriggerOverwrites() throws {
        let lab = try ChangeLab(
            ChangedRowsTests.action(
                "update public.people set tier = 'paid' where id = any(:users)",
                "update public.letters set text = 'gone' where person = any(:users)"),
            Self.touch[0], Self.touch[1], Self.touch[2], Self.tables[0],
            "insert into public.letters values (1, 1, 'x')",
            "create table public.history (person integer)",
            """
            create function public.follow() returns trigger language plpgsql as $$ begin
                update public.letters set text = new.tier where person = new.id;
                insert into public.history values (new.id);
                return null;
            end $$
            """, "create trigger follow after update on public.people for each row execute function public.follow()")
        let operation = try lab.run(ChangedRowsTests.go).operation
        let undone = try lab.undo(operation)
        #expect(try lab.value("select text from letters") == "x")
        #expect(try lab.value("select count(*) from history") == "2", "once by the action, once by the undo")
        #expect(
            undone.warnings.map(\.sentence.plain).contains(
                LeftBehind.overwritten("touched", table: "public.people").sentence))
    }

    @Test func undoLeavesGeneratedColumnsToPostgres() throws {
        let lab = try touched(
            "update public.people set score = 5 where id = any(:users)",
            "alter table public.people add twice integer generated always as (score * 2) stored, add number integer generated always as identity"
        )
        let before = try row(lab)
        let done = try lab.run(ChangedRowsTests.go)
        try lab.undo(done.operation)
        #expect(try row(lab) == before)
    }
}
