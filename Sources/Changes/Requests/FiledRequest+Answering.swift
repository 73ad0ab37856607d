package import Acts
package import Asking
internal import Catalog
internal import Inquiries
package import Ledger
internal import PQ
internal import Terminal

extension FiledRequest {
    package enum RequestedCommand {
        case change(ChangeRequest)
        case deletion(of: [String])
    }

    /// The command that the approver runs; the approver can add options.
    package func requestedCommand(hasMoved: Bool) throws(Failure) -> RequestedCommand {
        let terms = try Audit.open(
            [Query(file: "catalog/request_terms.sql", [id])], on: connection, options: options
        ).answers[0]
        let requested = try failing { () throws(PQError) -> RequestedCommand? in
            let row = try terms.only()
            guard let kind = try row.optionalText("kind") else { return nil }
            if kind == "deletion" { return .deletion(of: try row.texts("keys")) }
            let names = try row.texts("names")
            let values = Dictionary(zip(names, try row.texts("values")), uniquingKeysWith: { first, _ in first })
            let name = try row.optionalText("name") ?? ""
            let words = name.split(separator: " ", maxSplits: 1).map(String.init)
            let (first, rest) = (words.first ?? "", words.dropFirst().first ?? "")
            var change: ChangeRequest
            switch kind {
            case "action": change = ChangeRequest(.action(noun: first, verb: rest))
            case "state": change = ChangeRequest(.state(name))
            case "setting":
                // The request leaves out arguments that are NULL.
                change = ChangeRequest(
                    .setting(
                        table: first, key: values["key"] ?? "", column: rest, value: values["value"] ?? "null"))
            default: change = ChangeRequest(.undo(operation: try row.text("undoes")))
            }
            if case .action = change.what { change.values = values }
            change.subjects = try row.texts("keys")
            change.selections = try row.texts("selections")
            change.reason = try row.optionalText("reason")
            change.ticket = try row.optionalText("ticket")
            change.answers = ChangeRequest.Answered(request: id, hasMoved: hasMoved)
            return .change(change)
        }
        if let requested { return requested }
        let operation = summary.shown("operation")?.text ?? "ID"
        throw Failure(
            .conflict, "the record of request \(id) was erased with the account of a user", code: "erased",
            hint: "to resume the bulk change \(operation), repeat its command with --resume \(operation)")
    }

    package enum Refusal: String, Sendable { case decline, withdraw }

    package func answer(
        _ refusal: Refusal, reason: String?, ticket: String?, elsewhere: @escaping Elsewhere
    ) throws(Failure) -> String {
        try requireOpen()
        let ledger = try Audit.open([Ledger.question], on: connection, options: options).answers[0]
        let role = try failing(try summary.text("role"))
        let isOfErasers = refusal == .decline && role == "usher_eraser"
        try Ledger.require(Ledger.installation(.success(ledger)), for: isOfErasers ? .accounts : .changes)
        let own = OperationID.make()
        try NotesAndRequests.write(
            .answer, own, .answer, "request \(refusal.rawValue)",
            [
                ("request", id), ("answer", refusal.rawValue), ("reason", reason), ("ticket", ticket),
            ], ActRunner(on: connection, options: options, elsewhere: elsewhere))
        return own
    }
}
