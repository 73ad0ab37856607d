internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

extension AccountRoot.Name {
    /// The table of users in a database that no app file describes, where there is no doubt which it is.
    ///
    /// A deletion begins there, so a second table that could be meant refuses, unless its rows hang on the first one's.
    static func guessed(by transaction: ReadTransaction) throws(Failure) -> AccountRoot.Name {
        let answers = try transaction.ask(Schema.queries + [Words.query])
        let (schema, words) = try decoding { () throws(DecodingFailure) in
            (try Schema(columns: answers[0], foreignKeys: answers[1]), try Words(answers[2]))
        }
        let candidates = AppDraft.candidates(in: schema, words).filter { $0.points >= AppDraft.telling }
        guard let best = candidates.first, let key = best.table.key.first else {
            throw Failure(AccountRefusal.noGuess)
        }
        let dependent = schema.tables(dependingOn: best.table.qualifiedName)
        let rivals = candidates.filter { $0.table != best.table && !dependent.contains($0.table.qualifiedName) }
        guard rivals.isEmpty else {
            throw Failure(AccountRefusal.severalGuesses(([best] + rivals).map(\.table.sql)))
        }
        return try AccountRoot.Name("\(best.table.sql).\(key.sql)")
    }
}

extension Schema {
    /// The tables whose rows refer to those of a table, themselves or through others.
    fileprivate func tables(dependingOn root: String) -> Set<String> {
        var found: Set<String> = [root]
        var isGrowing = true
        while isGrowing {
            let next = references.filter { found.contains($0.referenced) }.map(\.table)
            isGrowing = !found.isSuperset(of: next)
            found.formUnion(next)
        }
        return found
    }
}
