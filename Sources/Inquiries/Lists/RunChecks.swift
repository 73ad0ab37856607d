package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

package struct CheckReport: Sendable {
    package let name: String
    package let summary: String
    /// The rows that violate the invariant, up to the limit; nil if the check couldn't run.
    ///
    /// The first column contains the key of the user or object.
    package let violations: Rows?
    package let isCut: Bool
    package let unavailable: Failure?
    package let fix: (noun: String, verb: String)?
    package let app: App
    /// The operator roles of the connected role; nil if unknown.
    package let roles: HeldRoles?
    package let environment: Environment

    package var isBroken: Bool { !(violations?.rows.isEmpty ?? true) }
}

extension Inquiry {
    package static func checks(
        _ name: String?, limit: Int, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> [CheckReport] {
        // The purpose `users` also queries the roles, because a repair may need another role.
        let inquiry = try open(on: connection, candidates: candidates, options: options, for: .users)
        let checks = inquiry.app.checks.filter { name == nil || $0.name == name }
        if let name, checks.isEmpty {
            throw Failure(unknown: "there is no check \(name)", known: inquiry.app.checks.map(\.name))
        }
        let answers = try inquiry.read(
            checks.map { inquiry.queries.violations(of: $0, limit: limit) }, isLast: true)
        return zip(checks, answers).map { check, answer in
            CheckReport(check, answer, limit: limit, hiding: inquiry.hiding([check.select]), of: inquiry)
        }
    }
}

extension CheckReport {
    fileprivate init(_ check: App.Check, _ answer: Answer, limit: Int, hiding: Failure?, of inquiry: Inquiry) {
        (app, roles, environment) = (inquiry.app, inquiry.ledger?.roles, inquiry.environment)
        name = check.name
        summary = check.summary
        fix = check.fix.map { ($0.noun, $0.verb) }
        let (rows, reason) = answer.rows(hiding: hiding)
        violations = rows?.prefix(limit)
        isCut = (rows?.rows.count ?? 0) > limit
        unavailable = reason
    }
}
