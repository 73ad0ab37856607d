import AppFile

/// A text with `⟦` before each place where a test expects something.
struct MarkedText {
    let text: String
    /// The marked places, as byte offsets into the text without its marks.
    let offsets: [Int]

    init(_ marked: String) {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        for scalar in marked.unicodeScalars {
            if scalar == "⟦" {
                offsets.append(bytes.count)
            } else {
                bytes += Array(String(scalar).utf8)
            }
        }
        text = String(decoding: bytes, as: UTF8.self)
        self.offsets = offsets
    }

    func file(_ name: String = "t.sql") -> SourceFile { SourceFile(name: name, text: text) }
}
