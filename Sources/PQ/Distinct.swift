extension Array<String> {
    /// The different texts, and the place of each element among them; texts with different bytes are different.
    package var distinct: (texts: [String], places: [Int]) {
        var known: [[UInt8]: Int] = [:]
        var texts: [String] = []
        let places = map { text in
            let bytes = Array<UInt8>(text.utf8)
            if let place = known[bytes] { return place }
            known[bytes] = texts.count
            texts.append(text)
            return texts.count - 1
        }
        return (texts, places)
    }
}
