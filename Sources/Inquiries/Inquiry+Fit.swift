internal import AppFile
internal import Asking
internal import Catalog

extension Inquiry {
    /// The candidate that fits: all it requires exists, and no other fits as closely.
    static func choose(among candidates: [App], by relations: Relations) throws(Failure) -> Int {
        let fitting = candidates.indices.filter { index in
            candidates[index].requires.allSatisfy(relations.meets)
        }
        // What somebody wrote for this database goes before what came with the program.
        let own = fitting.filter { AppLibrary.isOwn(candidates[$0]) }
        // One of those may be the right one that cannot be read, so none of the others is taken in its place.
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

    /// The candidates of whose requirements at least half exist, with those that don't: this may be the database of one of them
    /// in another version.
    private static func nearest(of candidates: [App], to relations: Relations) -> [String] {
        candidates.compactMap { app in
            let missing = app.requires.filter { !relations.meets($0) }.map(\.name)
            return missing.count * 2 > app.requires.count ? nil : "\(app.name) lacks \(missing.joined(separator: ", "))"
        }
    }
}
