internal import AppFile
internal import Asking
internal import Catalog

extension Inquiry {
    /// The candidate that fits: everything it requires exists, and no other candidate requires more.
    static func choose(among candidates: [App], by relations: Relations) throws(Failure) -> Int {
        let fitting = candidates.indices.filter { index in
            candidates[index].requires.allSatisfy(relations.meets)
        }
        // The operator's own apps win over built-in ones.
        let own = fitting.filter { AppLibrary.isOwn(candidates[$0]) }
        // If one of the operator's own apps can't be read, it may be the right one, so usher chooses no other.
        if own.isEmpty, candidates.count > 1, let broken = AppLibrary.brokenFile { throw broken }
        let eligible = own.isEmpty ? fitting : own
        let most = eligible.map { candidates[$0].requires.count }.max() ?? 0
        let best = eligible.filter { candidates[$0].requires.count == most }
        if best.count == 1, let index = best.first { return index }
        guard best.isEmpty else {
            let names = best.map { candidates[$0].name }.joined(separator: " and ")
            throw Failure(.failed, "several apps fit this database: \(names)", hint: "choose one with --app NAME")
        }
        if candidates.count == 1 {
            let missing = candidates[0].requires.filter { !relations.meets($0) }.map(\.name)
            throw Failure(
                .failed,
                "this database doesn't match the app \(candidates[0].name): "
                    + "it lacks \(missing.joined(separator: ", "))",
                hint:
                    "connect to another database with --db, or choose another app with --app; `usher doctor` shows both"
            )
        }
        throw Failure(
            .failed, "no app file fits this database", want: .app,
            hint: "draft one: `usher app init`; if you have one, name it with --app FILE",
            details: nearest(of: candidates, to: relations))
    }

    /// The candidates of which at least half the requirements exist, with the missing ones.
    ///
    /// This may be another version of their database.
    private static func nearest(of candidates: [App], to relations: Relations) -> [String] {
        candidates.compactMap { app in
            let missing = app.requires.filter { !relations.meets($0) }.map(\.name)
            return missing.count * 2 > app.requires.count ? nil : "\(app.name) lacks \(missing.joined(separator: ", "))"
        }
    }
}
