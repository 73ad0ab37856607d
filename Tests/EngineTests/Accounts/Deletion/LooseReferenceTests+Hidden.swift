import Accounts
import Asking
import PQ
import Support
import Testing

/// Columns and tables that not everybody may read.
extension LooseReferenceTests {
    @Test func columnsThatCannotBeReadAreNotCalledClean() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table tags (id int primary key)", "insert into tags values (1)",
            "create table lines (id int primary key, order_id int)", "create table tagged (id int, tag_id int)",
            "insert into orders values (1, 42)", "insert into lines values (1, 1)", "insert into tagged values (1, 1)",
        ])
        try lab.database.run("revoke all on lines, tagged from \(ErasureLab.hosted)")
        #expect(try lab.plan("42").warnings.contains(.hidden(["public.lines.order_id"])))
        let survey = try Survey.make(
            AccountRequest(users: [], root: try AccountRoot.Name("users")),
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: [], options: InquiryOptions())
        #expect(!survey.isSettled && survey.hidden.contains("public.lines.order_id"))
        let report = try lab.delete("42")
        #expect(!report.isVerified)
        #expect(report.hidden == ["public.lines.order_id"])
    }

    @Test func rowsThatNobodyMaySeeSpoilNoPlan() throws {
        let lab = try lab([
            "create table orders (id int primary key, owner int not null references users on delete cascade)",
            "create table lines (id int primary key, order_id int, order_type text, x_type text, x_id int)",
            "alter table lines enable row level security", "insert into lines values (1, 1, null, 'Order', 1)",
            "create table kinds (id int primary key, name text)", "insert into kinds values (1, 'orders')",
            "create table log (id int primary key, object_type_id int references kinds, object_id int)",
            "insert into log values (1, 1, 1)", "insert into orders values (1, 42)",
        ])
        try lab.database.run("revoke select on kinds from \(ErasureLab.hosted)")
        try lab.database.makeRole("plain_operator", "")
        try lab.database.run("grant \(ErasureLab.hosted) to plain_operator")
        let plan = try AccountPlan.make(
            AccountRequest(users: ["42"], root: try AccountRoot.Name("users")),
            on: try lab.database.connect(user: "plain_operator"), candidates: [], options: InquiryOptions())
        #expect(plan.total == 2)
    }
}
