internal import Asking
internal import Catalog
internal import PQ

/// What rows that stay held before a deletion changed them, in a file without a name until it is known what it left of them:
/// behind it nothing leads to them but what stands there.
final class StayingRows {
    /// The rows of one table, texts with the key in front, and where they stand.
    struct Section {
        let table: Graph.Table
        let columns: [String]
        let types: [String]
        fileprivate let begin: Int
        fileprivate var end: Int
    }

    private(set) var sections: [Section] = []
    private let path: String
    /// Made when there is something to hold.
    private var file: PrivateFile?

    init(beside path: String) { self.path = path + ".staying" }

    /// Holds the lines that are handed on.
    func hold(
        _ table: Graph.Table, _ columns: [String], _ types: [String],
        _ lines: (_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let begin = sections.last?.end ?? 0
        var section = Section(table: table, columns: columns, types: types, begin: begin, end: begin)
        let file: PrivateFile
        if let known = self.file { file = known } else { file = try PrivateFile(path) }
        self.file = file
        try lines { bytes throws(Failure) in
            try file.write(bytes)
            section.end += bytes.count
        }
        sections.append(section)
    }

    /// Hands on the lines of a section again, so many at once.
    func pages(of section: Section, _ receive: ([String]) throws(Failure) -> Void) throws(Failure) {
        guard let file else { return }
        var (place, rest): (Int, [UInt8]) = (section.begin, [])
        while place < section.end {
            let piece = try file.read(from: place, most: min(section.end - place, Self.piece))
            guard !piece.isEmpty else { return }
            place += piece.count
            rest += piece
            guard let last = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            let lines = rest[..<last].split(separator: UInt8(ascii: "\n"))
            rest = Array(rest[(last + 1)...])
            for start in stride(from: 0, to: lines.count, by: 1000) {
                try receive(lines[start..<min(start + 1000, lines.count)].map { String(decoding: $0, as: UTF8.self) })
            }
        }
    }

    private static let piece = 1 << 20
}
