package import Asking
package import Catalog
package import PQ

extension Graph {
    /// The answers to its queries, for whoever follows an account along the keys.
    ///
    /// Where Citus keeps partitions on other servers, nobody can tell here which one a row is in, and what refers to one
    /// partition alone would be taken for what refers to another.
    package init(followed answers: [Rows]) throws(Failure) {
        self = try decoding { () throws(DecodingFailure) in try Graph(tables: answers[0], references: answers[1]) }
        let spread = tables.values.filter { $0.isDistributed && $0.isPartitioned }.map(\.qualifiedName).sorted()
        if !spread.isEmpty { throw Failure(AccountRefusal.spread(spread)) }
    }
}
