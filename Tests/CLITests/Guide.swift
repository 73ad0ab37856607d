import Foundation

/// The code blocks of the language guide, for the tests that run them.
enum Guide {
    private static let page = Result {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("sql/README.md"), encoding: .utf8)
    }

    /// The code blocks of the page: the text after the three backticks, and the lines up to the next three.
    static var fences: [(info: String, text: String)] {
        let parts = ("\n" + ((try? page.get()) ?? "")).components(separatedBy: "\n```")
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let info = String(parts[index].prefix { $0 != "\n" })
            return (info, parts[index].dropFirst(info.count + 1) + "\n")
        }
    }

    /// All code blocks of one kind, joined.
    static func blocks(_ language: String) -> String {
        fences.filter { $0.info == language }.map(\.text).joined(separator: "\n")
    }
}
