import Accounts
import CommandLine
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Terminal

extension Verb {
    static let requestList = Command(
        "request list", summary: "List open requests, latest first.",
        discussion: """
            If you don't have the role for a change, or the change needs a second person, add --request. A request is open, \
            approved, declined, withdrawn, or forgotten, because its user was deleted. See `usher help requests`.
            """,
        options: [
            Option("--all", summary: "Include answered requests."), .limit(standard: "50"),
            .user("requests about"),
        ],
        examples: [
            Example(
                "request list", explains: "List open requests.",
                output: """
                    id        at                operator  command        target           state
                    0f3c9a11  2026-11-21 14:00  lin       partner grant  ada@example.com  open
                    """),
            Example("request list --all --json", explains: "List all requests as JSON, for a script."),
        ], traits: .lists
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let names = try invocation.option("user").map { user throws(Failure) in
            try Audit.names(
                of: user, mayBeGone: false, on: try context.connection(), candidates: try context.candidates(),
                options: context.inquiry)
        }
        let rows = try FiledRequest.list(
            all: invocation.flag("all"), about: names, limit: invocation.integer("limit") ?? 50,
            on: try context.connection(), options: context.inquiry)
        let shown = ["id", "operator", "command", "reason", "target", "role", "at", "ticket"]
        try RecordWriter(
            context, key: "id", columns: RequestView.columns.filter { $0 != "preview" },
            shown: invocation.flag("all") ? shown + ["state", "answered_by"] : shown, whole: ["reason"]
        ).write(rows.rows, columns: rows.columns)
        if rows.rows.isEmpty { context.remark("No requests found.") }
    }

    static let requestShow = Command(
        "request show", summary: "Show a request: who, what, why, and the answer.",
        discussion: """
            If you can approve an open request, usher also shows what the request would change now.
            """,
        arguments: [.request],
        examples: [
            Example(
                "request show 3f8a6e0c", explains: "What was requested, and who answered?",
                output: """
                    partner grant  ada@example.com  open
                    operator  lin
                    reason    agreed by phone
                    """)
        ],
        traits: .lists
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let request = try FiledRequest.named(
            invocation.argument("ID") ?? "", on: try context.connection(), options: context.inquiry)
        let row = request.summary
        let view = RequestView(context: context)
        try context.writePage(
            json: row.members, records: [row], key: request.id,
            screen: view.lines(row) + (context.showsScreen && request.isOpen ? view.preview(of: request) : []))
    }
}

extension Argument {
    static let request = Argument("ID", .named("request"), summary: "The id of a request, or its first 8 characters.")
}

struct RequestView {
    let context: Context

    static let columns = [
        "id", "at", "operator", "command", "target", "role", "state", "reason", "ticket", "arguments", "takes_two",
        "answered_at", "answered_by", "because", "operation", "app", "preview",
    ]

    func lines(_ row: Row) -> [SafeText] {
        let shown = Self.columns.filter { !["command", "target", "state", "preview"].contains($0) }
        return ScreenText(context).sheet(
            row, state: "state", shown, labels: ["takes_two": "needs a second person"])
    }

    /// The preview of the requested change, for the role that can approve it.
    func preview(of request: FiledRequest) -> [SafeText] {
        linesOrReason { () throws(Failure) in
            guard try request.canApprove() else {
                let role = SafeText(request.summary.shown("role")?.text ?? "")
                return [("Only " + role + " can preview this change with `request show`.").dim]
            }
            switch try request.requestedCommand(hasMoved: false) {
            case .change(var change):
                change.isDryRun = true
                return try ChangeCommand(request: change, context: context).previewLines()
            case .deletion(let users): return try plan(of: users)
            }
        }
    }

    /// The plan of a deletion for the requester, whose role can't delete accounts.
    func planPreview(of users: [String]) -> [SafeText] {
        linesOrReason { () throws(Failure) in try plan(of: users, asRequested: true) }
    }

    private func plan(of users: [String], asRequested: Bool = false) throws(Failure) -> [SafeText] {
        var plan = try Accounts.AccountPlan.make(
            AccountRequest(users: users), on: try context.connection(), candidates: try context.candidates(),
            options: context.inquiry)
        plan.isRequested = asRequested
        return AccountPlanView(plan: plan, context: context).screen
    }

    /// A preview, or the reason why usher can't show a preview.
    private func linesOrReason(_ lines: () throws(Failure) -> [SafeText]) -> [SafeText] {
        do throws(Failure) { return [""] + (try lines()) } catch {
            let zone = context.zone
            return ["", "usher can't preview this change: " + SafeText(error.message(in: zone))]
                + error.details(in: zone).map { "  " + SafeText($0) }
                + (error.hint.map { ["  " + SafeText(advice: $0)] } ?? [])
        }
    }
}
