internal import Acts
internal import Asking
internal import PQ

/// The instant at which a transaction began, as another connection sees it: without what the transaction does.
struct SharedInstant {
    private let snapshot: String
    private let elsewhere: Elsewhere

    /// Exports the instant, before anything is written.
    init(of transaction: ActTransaction, elsewhere: @escaping Elsewhere) throws(Failure) {
        self.elsewhere = elsewhere
        let answer = try transaction.run(["select pg_catalog.pg_export_snapshot() as name"])[0]
        snapshot = try decoding(try answer.only().text("name"))
    }

    func witness() throws(Failure) -> ReadTransaction {
        ReadTransaction(
            on: try elsewhere(), settings: .init(timeout: InquiryOptions.witnessTimeout, snapshot: snapshot))
    }
}
