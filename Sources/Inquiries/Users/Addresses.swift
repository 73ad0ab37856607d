internal import AppFile
package import Asking
package import PQ

/// Looks up the emails of users by their keys; the lookup also works after the inquiry has ended.
package struct Addresses {
    fileprivate let directory: Directory
    fileprivate let keyType: String

    /// The emails of users by key, except emails that are missing or that usher can't read.
    package func named(_ keys: [String], on connection: Connection, options: InquiryOptions) -> [String: String] {
        if keys.isEmpty { return [:] }
        let query = directory.addresses(ofKeys: keys, type: keyType)
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        guard let answers = try? transaction.read([Query(query)], isLast: true), let rows = try? answers[0].get() else {
            return [:]
        }
        return Self.known(rows)
    }

    fileprivate static func known(_ rows: Rows) -> [String: String] {
        let pairs = rows.rows.compactMap { row in
            row.values[0].text.flatMap { key in row.values[1].text.map { (key, $0) } }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension Inquiry {
    package func addresses() throws(Failure) -> Addresses {
        let users = try users()
        return Addresses(directory: users.directory, keyType: users.keyType)
    }

    /// The emails of users by key, except emails that are missing or that usher can't read.
    package func addresses(ofKeys keys: [String]) throws(Failure) -> [String: String] {
        if keys.isEmpty { return [:] }
        let users = try users()
        let query = users.directory.addresses(ofKeys: keys, type: users.keyType)
        guard case .success(let rows) = try read([query], isLast: false)[0].reading else { return [:] }
        return Addresses.known(rows)
    }
}
