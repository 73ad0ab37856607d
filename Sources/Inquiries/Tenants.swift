package import AppFile
package import Asking
internal import Catalog
package import PQ

/// The schemas of a database that one app file is about, one for each customer.
package enum Tenants {
    /// Their names, in order, asked in one question.
    ///
    /// Where the file says what they are called, each of that name is one, whether it has all that the app requires or not: what
    /// is missing there has to be told. Else they are those that have it.
    package static func of(
        _ app: App, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> [String] {
        let parts = app.requiredOfSchema.enumerated().flatMap { index, alternatives in
            alternatives.map { (part: index + 1, requirement: $0) }
        }
        let question = Query(
            file: "catalog/tenants.sql",
            [
                app.schemas?.pattern, arrayLiteral(parts.map { String($0.part) }),
                arrayLiteral(parts.map(\.requirement.table)), arrayLiteral(parts.map { $0.requirement.column ?? "" }),
            ])
        let answer = try failing { () throws(PQError) in
            try connection.pipeline([[question]], timeout: options.timeout)[0][0]
        }
        switch answer {
        case .success(let rows): return try decoding(try rows.texts())
        case .failure(let error): throw Failure(error)
        }
    }
}
