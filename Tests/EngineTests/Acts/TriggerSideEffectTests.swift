import AppFile
import Asking
import Foundation
import Ledger
import PQ
import Support
import Testing

/// An action fails if a trigger changes the audit log or the schema, although the trigger runs as the owner.
@Suite(.waiting) struct TriggerSideEffectTests {
    /// A trigger that runs a statement whenever a user is changed.
    private static func sneak(_ statement: String) -> [String] {
        [
            """
            create or replace function public.sneak() returns trigger language plpgsql security definer as $sneak$
            begin execute $does$\(statement)$does$; return new; end $sneak$
            """,
            "create or replace trigger sneak before update on public.people for each row execute function public.sneak()",
        ]
    }

    static let statements = [
        "update usher.operation set operator = 'adam'", "delete from usher.operation", "delete from usher.change",
        "insert into usher.note values (gen_random_uuid(), 'public.people', '2')",
        "update usher.environment set name = 'development'", "update usher.act set role = 'usher_support'",
        """
        insert into usher.operation (id, kind, outcome, command, digest)
        values (gen_random_uuid(), 'change', 'committed', 'mine', '')
        """,
        "insert into usher.change values (gen_random_uuid(), 0, '')",
        "create function public.door(text) returns text language sql security definer as 'select $1'",
        "alter function public.sneak() security invoker", "grant execute on function public.sneak() to public",
        "create schema mine", "grant usage on schema usher to forger_nobody",
        "grant select on letters to forger_nobody",
        "grant select (person) on letters to forger_nobody", "create policy mine on letters using (true)",
        "alter role forgery_owner set search_path = mine", "create view mine as select 1 as one",
        "alter default privileges grant select on tables to public", "create type mine as enum ('one')",
        "create trigger mine before insert on letters for each row execute function suppress_redundant_updates_trigger()",
        "alter table letters alter person set default 7", "alter table letters add check (person > 0)",
        "create statistics mine on id, person from letters", "alter sequence letters_id_seq increment 10",
        // A dropped object leaves no catalog row to check.
        "drop index spare_index", "drop trigger spare on letters", "drop type spare_type",
        "drop sequence spare_numbers", "drop schema spare", "alter domain spare_word drop constraint spare_check",
    ]

    /// Objects for the statements that drop an object.
    static let spare = [
        "create index spare_index on letters (person)", "create type spare_type as enum ('one')",
        "create sequence spare_numbers", "create schema spare",
        "create domain spare_word as text constraint spare_check check (value <> '')",
        """
        create trigger spare before insert on letters
           for each row execute function suppress_redundant_updates_trigger()
        """,
    ]

    @Test(arguments: sample(statements)) func actionIsRefusedIfATriggerChangesTheAuditLogOrTheSchema(
        _ statement: String
    ) throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        for object in Self.spare { _ = try owner.execute(Query(unsafe: object)) }
        let operation = try forgery.done("support", "score raise")
        let many = forgery.request("score raise", keys: #"["2", "3"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", many)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        func part() -> String {
            ForgeryLab.ask("batch", #"{"id": "\#(UUID().uuidString)", "operation": "\#(bulk)", "size": 1}"#)
        }
        #expect(try forgery.result("support", inOne: part()) == "done")
        for sneaking in Self.sneak(statement) { _ = try owner.execute(Query(unsafe: sneaking)) }
        let before = try forgery.lab.everything()
        func ledger() throws -> [[String?]] {
            try forgery.lab.rows(
                """
                select count(*), min(operator), max(outcome), (select min(name) from usher.environment),
                       (select min(role) from usher.act), (select count(*) from usher.change), (select count(*) from usher.note)
                  from usher.operation where kind <> 'batch' or outcome = 'committed'
                """)
        }
        let recorded = try ledger()
        for call in [
            forgery.run("score raise"), forgery.run("score raise", #", "dry": true"#),
            ForgeryLab.ask("undo", #"{"id": "\#(UUID().uuidString)", "operation": "\#(operation)"}"#),
        ] {
            let answer = try forgery.result("support", inOne: call)
            #expect(answer == "US003", "\(call): \(answer ?? "nothing")")
        }
        // A batch is refused with an error, or recorded as refused.
        let answer = try forgery.result("support", inOne: part())
        #expect(["US003", "refused"].contains(answer), "\(answer ?? "nothing")")
        #expect(try forgery.lab.everything() == before)
        #expect(try ledger() == recorded)
    }

    @Test(arguments: [
        "create temporary table if not exists remembered (id serial primary key, n integer default 7 check (n > 0))",
        "select lo_from_bytea(0, 'x')", "create temporary sequence if not exists numbers",
    ]) func triggersCanCreateTemporaryAndLargeObjects(_ statement: String) throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        for sneaking in Self.sneak(statement) { _ = try owner.execute(Query(unsafe: sneaking)) }
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
    }

    /// In the first action, a trigger creates a temporary table, which stays in the session.
    @Test func temporaryTableOfATriggerDoesNotBlockTheNextAction() throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        let made = "create temporary table if not exists remembered (n integer)"
        for sneaking in Self.sneak(made) { _ = try owner.execute(Query(unsafe: sneaking)) }
        func transaction(_ call: String) -> [String] {
            ["select usher.advance_clock()", ForgeryLab.begin, call, "commit"]
        }
        let once = transaction(forgery.run("score raise"))
        #expect(try forgery.result("support", once + transaction(forgery.run("score raise"))) == "done")
        let operation = try #require(try forgery.lab.value("select id from usher.operation order by at desc limit 1"))
        let undo = ForgeryLab.ask("undo", #"{"id": "\#(UUID().uuidString)", "operation": "\#(operation)"}"#)
        #expect(
            try forgery.result("support", transaction(undo) + transaction(forgery.run("score raise"))) == "done")
        let many = ForgeryLab.ask("begin", forgery.request("score raise", keys: #"["1", "2", "3"]"#))
        #expect(try forgery.result("support", transaction(many)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        let parts = (0..<3).flatMap { _ in
            transaction(
                ForgeryLab.ask("batch", #"{"id": "\#(UUID().uuidString)", "operation": "\#(bulk)", "size": 1}"#))
        }
        #expect(try forgery.result("support", parts) == "done")
        #expect(try forgery.lab.value("select count(*) from usher.operation where kind = 'batch'") == "3")
    }
}
