package import PQ

extension Row {
    /// The texts of an array in a column; empty for NULL.
    package func texts(_ name: String) throws(PQError) -> [String] {
        try optionalText(name).map { arrayElements($0).map { $0 ?? "" } } ?? []
    }

    func booleans(_ name: String) throws(PQError) -> [Bool] {
        try texts(name).map { text throws(PQError) in
            switch text {
            case "t": true
            case "f": false
            default: throw .notA("boolean list", column: name)
            }
        }
    }

    package func identifier(_ name: String) throws(PQError) -> UInt32 {
        guard let number = UInt32(try text(name)) else { throw .notA("object identifier", column: name) }
        return number
    }
}
