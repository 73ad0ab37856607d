import Foundation

/// The guide of the language, whose examples hold.
enum Guide {
    private static let page = Result {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("sql/README.md"), encoding: .utf8)
    }

    /// All that it shows of a language, one block behind the other.
    static func blocks(_ language: String) -> String {
        ((try? page.get()) ?? "").components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.joined(separator: "\n")
    }
}
