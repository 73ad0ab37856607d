@testable import Accounts
import Inquiries
@testable import Commands
import Asking
import Catalog
import PQ
import Testing

/// There are words for every fact of a plan of a deletion.
@Suite struct PlanWordingTests {
    private static let trigger = NamedTrigger("stamp", on: "public.notes", calling: "public.stamped")
    private static let entry = AccountPlan.Entry(
        table: "public.notes", rows: 3, policy: .delete, via: "auth.users → public.notes", collateral: 2,
        isIndexed: true, why: nil)

    private static func column(_ name: String, _ change: (inout HeldColumn) -> Void = { _ in }) -> HeldColumn {
        var column = HeldColumn(
            table: "public.visits", column: name, path: "public.visits.\(name)", kind: .key, rows: 1, isWhole: true,
            isCopy: false, isForeign: false)
        change(&column)
        return column
    }

    @Test func whatIsInTheWayIsSaidWithWhatHelps() {
        let required: [(AccountPlan.Required, String)] = [
            (.detached("a.b"), "a.b must not be empty, so the row cannot stay without it"),
            (.kept("a.b"), "a.b must not be empty, so its rows cannot stay"),
            (
                .answered(path: "a.b", isOfUsers: true),
                "a.b must not be empty: --suspected 'a.b=ANSWER' with keep"
            ),
            (.partlyKept("a.b"), "a.b must not be empty, so rows that a line of the app file keeps cannot stay"),
            (
                .shared("a.b", isByLine: false),
                "a.b must not be empty, so rows that others share cannot stay: --collateral delete takes them"
            ),
            (
                .shared("a.b", isByLine: true),
                "a.b must not be empty, so rows that others share cannot stay: "
                    + "`@collateral … : delete` in the app file takes them"
            ),
        ]
        for (required, sentence) in required {
            #expect(AccountPlan.Obstacle.required(required).message == sentence)
        }
        let obstacles: [(AccountPlan.Obstacle, String, String?)] = [
            (.refused(FilledSentence(text: "Pays still.")), "Pays still.", nil),
            (
                .foreignTable(path: "far.mails", partOf: nil),
                "far.mails is a foreign table, whose rows this server neither counts nor knows: delete them first on the "
                    + "server that holds them, or `@keep far.mails` in the app file lets them stay", nil
            ),
            (
                .foreignTable(path: "far.old", partOf: "mails"),
                "far.old is a foreign table, whose rows this server neither counts nor knows: delete them first on the "
                    + "server that holds them, or `@keep mails` in the app file lets all rows of that stay, of which it "
                    + "is a part", nil
            ),
            (
                .foreignWrite(path: "far.mails", by: Self.trigger, adds: true),
                "the trigger stamp on public.notes adds rows to far.mails, a foreign table, whose rows this server neither "
                    + "counts nor knows",
                "`@written far.mails : keep` in the app file lets what is added there stay, uncounted"
            ),
            (
                .foreignWrite(path: "mails", by: Self.trigger, adds: false, isPart: true),
                "the trigger stamp on public.notes changes rows of mails, of which parts are foreign tables, whose rows "
                    + "this server neither counts nor knows",
                "the owner of public.notes disables the trigger for as long as the deletion takes (alter table … disable "
                    + "trigger stamp), and does on the other server what it would have done"
            ),
            (
                .mayNot(MissingRight(.delete, on: "a.b")), "this role may not delete from a.b",
                "grant delete on a.b to it"
            ),
            (.mayNot(MissingRight(.update, on: "a.b")), "this role may not update a.b", "grant update on a.b to it"),
            (
                .mayNot(MissingRight(.update, on: "a.b", columns: ["c", "D"])),
                "this role may not update c, \"D\" of a.b",
                "grant update (c, \"D\") on a.b to it"
            ),
            (
                .mayNot(MissingRight(.select, on: "a.b", columns: ["c"])), "this role may not read c of a.b",
                "grant select (c) on a.b to it"
            ),
            (
                .mayNot(MissingRight(.insert, on: "a.b", columns: ["c"])), "this role may not fill c of a.b",
                "grant insert (c) on a.b to it"
            ),
            (
                .mayNot(MissingRight(.execute, on: "a.f(x integer)")), "this role may not call a.f(x integer)",
                "grant execute on function a.f(x integer) to it"
            ),
            (
                .mayNot(MissingRight(.usage, on: "a.s")), "this role may not use a.s",
                "grant usage on sequence a.s to it"
            ),
            (
                .mayNot(MissingRight(.usage, on: "schema a")), "this role may not use schema a",
                "grant usage on schema a to it"
            ),
            (
                .mayNot(MissingRight(.insert, on: "a.b"), by: Self.trigger),
                "this role may not insert into a.b, as the trigger stamp on public.notes does",
                "grant insert on a.b to it"
            ),
            (
                .reassigned(table: "a.b", toNobody: true),
                "the line about shared rows of a.b gives them to nobody who is there",
                "`@collateral` in the app file has to name one user who is there"
            ),
            (
                .reassigned(table: "a.b"), "the line about shared rows of a.b gives them to an account that goes",
                "`@collateral` in the app file has to name somebody else"
            ),
            (
                .reassigned(table: "a.b", to: "a.c", toNobody: true),
                "the line about shared rows of a.b gives them to no row of a.c that is there",
                "`@collateral` in the app file has to name the key of one row of a.c that is there"
            ),
            (
                .reassigned(table: "a.b", to: "a.c"),
                "the line about shared rows of a.b gives them to a row of a.c that goes",
                "`@collateral` in the app file has to name the key of another row of a.c"
            ),
            (
                .mayNotInsert(table: "a.b", why: "Tells."), "this role may not insert into a.b: Tells.",
                "grant insert on a.b to it"
            ),
            (
                .unsettled([Self.column("user_id")]),
                "public.visits.user_id: 1 row, holds the id, without a foreign key",
                "--suspected 'public.visits.user_id=ANSWER', or a line of the app file"
            ),
            (
                .unsettled([Self.column("user_id"), Self.column("user_id")]),
                "user_id of 2 tables: 2 rows, holds the id, without a foreign key",
                "`usher account survey` proposes lines for the app file; --suspected answers once"
            ),
            (
                .collateral([Self.entry]), "rows that are others', too: public.notes: 2 of 3",
                "--collateral delete, keep or detach, or @collateral in the app file"
            ),
        ]
        for (obstacle, message, remedy) in obstacles {
            #expect(obstacle.message == message)
            #expect(obstacle.remedy == remedy)
        }
    }

    @Test func whatSpeaksForAColumnIsSaid() {
        let columns = [
            Self.column("a"), Self.column("a") { $0.refersTo = ["public.orders"] },
            Self.column("a") { ($0.refersTo, $0.isHalf) = (["public.orders"], true) },
            Self.column("a") { $0.trouble = "the server is away" },
        ]
        #expect(
            columns.map(\.why) == [
                "holds the id, without a foreign key",
                "refers to rows that go of public.orders, without a foreign key",
                "rows that go of public.orders refer to it, and nobody else's",
                "cannot be looked into: the server is away",
            ])
    }

    @Test func whatToKnowIsSaid() {
        let remarks: [AccountPlan.Remark] = [
            .cannotBeEmptied("a.b", toDefault: false), .cannotBeEmptied("a.b", toDefault: true),
            .unindexed("a.b", parents: 2, rows: 3, seconds: 4, isBuilt: false),
            .unindexed("a.b", parents: 2, rows: 3, seconds: 4, isBuilt: true), .reachesOutside(Self.trigger),
            .mayRefuse(Self.trigger), .asksWhoActs(Self.trigger),
            .triggerMayNot(MissingRight(.insert, on: "a.b"), Self.trigger), .unarchived(["a.b"]),
            .hidden(["a.b"]), .standing(["a.b"]), .untouched(["a.b"]), .searchedLate(["a"]), .searchedSlowly(["a.b"]),
            .missing("a.b"),
            .rootGone("a"), .tokensLive,
        ]
        let sentences = remarks.map(\.sentence)
        #expect(Set(sentences).count == remarks.count)
        #expect(sentences[4] == "the trigger stamp on public.notes reaches outside the transaction (public.stamped)")
        #expect(
            sentences[2] == "a.b has no index: 2 deletions search 3 rows each, about 4 s; --build-indexes helps")
        let moves: [AccountPlan.Move] = [
            .table("a.b", .keep), .total(9, planned: 3), .shared(2, planned: 0),
            .obstacle(.mayNot(MissingRight(.delete, on: "a.b"))),
        ]
        #expect(
            moves.map(\.sentence) == [
                "keep a.b", "9 rows instead of 3", "2 shared rows instead of 0", "this role may not delete from a.b",
            ])
        let gaps: [Residue.Gap] = [.unreadable(columns: 2), .secured, .ambiguous(columns: ["a"])]
        #expect(gaps.map(\.sentence).last == "so small a number may count anything in a")
    }
}
