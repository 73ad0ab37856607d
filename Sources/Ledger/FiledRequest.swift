package import Asking
internal import Catalog
package import PQ

/// A request for approval, and whether it is open.
package struct FiledRequest {
    package let id: String
    package let summary: Row
    package let isOpen: Bool
    package let connection: Connection
    package let options: InquiryOptions

    /// Lists open or all requests, the latest first; with `about`, only requests about these users.
    package static func list(
        all: Bool, about names: [String]? = nil, limit: Int, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> Rows {
        try Audit.open([question(all: all, nil, limit, about: names)], on: connection, options: options).answers[0]
    }

    private static func question(all: Bool, _ range: [String]?, _ limit: Int, about names: [String]? = nil) -> Query {
        let ends: [String?] = range ?? [nil, nil]
        return Query(
            file: "catalog/requests.sql",
            [all ? "true" : "false"] + ends + [String(limit), names.map { arrayLiteral($0) }])
    }

    /// Finds a request by its id, or by an unambiguous prefix of the id.
    package static func named(
        _ text: String, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> FiledRequest {
        let missing = Failure(
            .notFound, "there is no request \(text)", hint: "`usher request list --all` lists all requests")
        guard let range = IDRange.ends(of: text) else { throw missing }
        let rows = try Audit.open([question(all: true, range, 11)], on: connection, options: options).answers[0].rows
        guard let row = rows.first else { throw missing }
        if rows.count > 1 {
            throw Failure(
                .conflict, "the ids of several requests begin with \(text)", hint: "write more characters of the id")
        }
        let (id, state) = try failing((try row.text("id"), try row.text("state")))
        return FiledRequest(
            id: id, summary: row, isOpen: state == "open", connection: connection, options: options)
    }

    package func canApprove() throws(Failure) -> Bool {
        let role = try failing(try summary.text("role"))
        let ledger = try Audit.open([Ledger.question], on: connection, options: options).answers[0]
        return try Ledger.installation(.success(ledger))?.roles.contains(role) ?? false
    }

    /// Throws if the connected role can't approve the request; a preview alone would suggest another request.
    package func requireApprover() throws(Failure) {
        if try canApprove() { return }
        let role = try failing(try summary.text("role"))
        throw Failure(
            .forbidden, "you need the role \(role) to approve request \(id)",
            hint: "ask an operator with the role \(role) to approve the request")
    }

    /// Throws if the request was already answered or withdrawn.
    package func requireOpen() throws(Failure) {
        guard !isOpen else { return }
        let (state, by) = try failing((try summary.text("state"), try summary.optionalText("answered_by")))
        throw Failure(
            .conflict, "request \(id) is already \(state)" + (by.map { ", by \($0)" } ?? ""), nothing: .changed,
            hint: "`usher request show \(id)` shows the answer")
    }
}
