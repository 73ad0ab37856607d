package import Asking
package import Catalog
package import PQ

extension Graph {
    /// The answers to its queries, for whoever follows an account along the keys.
    ///
    /// Where Citus keeps rows on other servers, tables look empty here and nothing of what is deleted is counted; an account
    /// that is followed all the same would be found smaller than it is.
    package init(followed answers: [Rows]) throws(Failure) {
        self = try decoding { () throws(DecodingFailure) in try Graph(tables: answers[0], references: answers[1]) }
        let spread = tables.values.filter(\.isDistributed).map(\.qualifiedName).sorted()
        if !spread.isEmpty { throw Failure(AccountRefusal.spread(spread)) }
    }
}
