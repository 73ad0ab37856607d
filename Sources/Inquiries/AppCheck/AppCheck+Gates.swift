internal import AppFile
internal import PQ

extension AppCheck {
    /// Tells of statements that ask of their subjects only whether they are run at all.
    mutating func checkGates(_ gates: [App.Gate]) throws(PQError) {
        let parsed = try descriptions.denials(among: gates.flatMap(\.conditions).map(\.sql), areWrong: true).parsed
        var place = 0
        for gate in gates {
            let own = place..<(place + gate.conditions.count)
            if own.allSatisfy(parsed.contains) { report(.gate, at: gate.place) }
            place = own.upperBound
        }
    }
}
