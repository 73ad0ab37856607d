internal import Catalog

extension Candidates {
    /// What in a text could name somebody.
    struct Tokens {
        private(set) var addresses: [String] = []
        private(set) var uuids: [String] = []
        /// Numbers in a document, with the names they stand under.
        private(set) var numbers: [(name: String, word: String)] = []
        /// All words, with those before them.
        private(set) var words: [(name: String, word: String)] = []
        /// Words that stand straight behind a name, as in a path or a document: `users/42`, `user_id=42`, `"userId": 42`.
        private(set) var paths: [(name: String, word: String)] = []

        /// By byte, whether it stands between words.
        private static let isEdge = (UInt8.min...UInt8.max).map { byte in
            byte <= 0x20 || "\"'<>()[]{},;:|\\=&?".utf8.contains(byte)
        }

        /// By byte, whether a deletion takes it for a part of an address, of a uuid, or of another key, and no end of one.
        private static let isOfAddress = isPlain(or: "._%+-@")
        private static let isOfUUID = (UInt8.min...UInt8.max).map { "0123456789abcdefABCDEF-".utf8.contains($0) }
        private static let isOfKey = isPlain(or: "_-")
        private static let isOfWord = isPlain(or: "")

        private static func isPlain(or marks: String) -> [Bool] {
            (UInt8.min...UInt8.max).map { byte in
                byte >= 0x80 || Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
                    || marks.utf8.contains(byte)
            }
        }

        /// How the sign of an address is escaped where texts are sent on.
        private static let escapedSigns = ["%40", "&#64;", "&#x40;", "\\u0040"]

        init(of text: String) {
            let text = Self.escapedSigns.reduce(text) { $0.contains($1) ? $0.replacing($1, with: "@") : $0 }
            var name = ""
            for part in text.utf8.split(whereSeparator: { Self.isEdge[Int($0)] }) {
                let word = String(Substring(part))
                words.append((words.last?.word ?? "", word))
                if part.contains(UInt8(ascii: "@")) {
                    take(address: part)
                    for piece in part.split(whereSeparator: { !Self.isOfAddress[Int($0)] })
                    where piece.count < part.count {
                        take(address: piece)
                    }
                } else if part.count >= 32 {
                    for piece in part.split(whereSeparator: { !Self.isOfUUID[Int($0)] }) where piece.count >= 32 {
                        let piece = String(Substring(piece))
                        if Parents.says(piece, .uuid) { uuids.append(piece.lowercased()) }
                    }
                }
                let pieces = part.split(whereSeparator: { !Self.isOfKey[Int($0)] })
                for piece in pieces where pieces.count > 1 {
                    words.append((words.last?.word ?? "", String(Substring(piece))))
                }
                if part.allSatisfy({ (0x30...0x39).contains($0) }) {
                    if !name.isEmpty { numbers.append((name, word)) }
                } else {
                    name = word
                }
            }
            takePaths(in: text)
        }

        private mutating func takePaths(in text: String) {
            var (name, end) = ("", text.utf8.startIndex)
            for word in text.utf8.split(whereSeparator: { !Self.isOfWord[Int($0)] }) {
                let marks = text.utf8[end..<word.startIndex]
                let own = String(Substring(word))
                if !name.isEmpty, Self.leadOn(marks) { paths.append((name, own)) }
                let isOne = !marks.isEmpty && marks.allSatisfy { $0 == UInt8(ascii: "_") }
                (name, end) = (isOne && !name.isEmpty ? "\(name)_\(own)" : own, word.endIndex)
            }
        }

        /// Whether what follows such marks is called what stands before them.
        private static func leadOn(_ marks: Substring.UTF8View) -> Bool {
            if marks.isEmpty { return false }
            if marks.allSatisfy("/:.#=_-".utf8.contains) || marks.elementsEqual(": ".utf8) { return true }
            return marks.allSatisfy("\"\\:[ ".utf8.contains) && "\":".utf8.allSatisfy(marks.contains)
        }

        /// What ends a sentence is no part of an address that stands there.
        private mutating func take(address: Substring.UTF8View) {
            let end = address.lastIndex { !".-".utf8.contains($0) } ?? address.startIndex
            let own = address[...end]
            let sides = own.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            if sides.count == 2, sides.allSatisfy({ !$0.isEmpty }) { addresses.append(String(Substring(own))) }
        }

        /// What could be keys of a parent: short ones behind a name alone, that of a member or one that leads on to them.
        func keys(
            of parent: Parents.Parent, isDocument: Bool, isMember: (_ name: String) -> Bool,
            leadsOn: (_ name: String) -> Bool
        ) -> [String] {
            switch parent.kind {
            case .uuid: return uuids
            case .text where parent.isLong:
                return words.map(\.word).filter { parent.range.contains(Double($0.utf8.count)) }
            case .text, .number:
                var named = paths.filter { leadsOn($0.name) || isMember($0.name) }.map(\.word)
                if isDocument {
                    named += (parent.kind == .number ? numbers : words).filter { isMember($0.name) }.map(\.word)
                }
                return parent.kind == .number ? named.filter { Parents.says($0, .number) } : named
            default: return []
            }
        }
    }
}
