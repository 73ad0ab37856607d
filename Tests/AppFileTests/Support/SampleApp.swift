import AppFile
import Testing

/// Small app files and their parsed apps.
enum Sample {
    /// The shortest valid app file.
    static let head = """
        -- @app sample  A Sample
        -- @requires public.person
        -- @users
        -- @key id
        -- @email email
        select id, email, tier, status from public.person;


        """

    /// Parses an app file that consists of `head` and more blocks.
    static func app(
        _ blocks: String, includes: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> App {
        let file = SourceFile(name: "t.sql", text: head + blocks)
        do throws(InvalidApp) {
            return try parse(file, includes: includes)
        } catch {
            let report = error.diagnostics.flatMap(\.report).joined(separator: "\n")
            Issue.record("\(report)", sourceLocation: sourceLocation)
            throw error
        }
    }

    static func parse(_ file: SourceFile, includes: [String: String] = [:]) throws(InvalidApp) -> App {
        try AppParser.parse(file) { name in includes[name].map { SourceFile(name: "\(name).sql", text: $0) } }
    }

    /// Expects exactly one finding at each mark, in order, each with a message that begins as given.
    static func expect(
        _ messages: [String], in marked: String, behind head: String = head, includes: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = MarkedText(head + marked)
        let findings = findings(in: text.file(), includes: includes)
        let own = findings.filter { $0.file.name == "t.sql" }
        let found = findings.map { "\($0.file.name) \($0.offset): \($0.message)" }
        #expect(own.map(\.offset) == text.offsets, "\(found)", sourceLocation: sourceLocation)
        #expect(findings.count == messages.count, "\(found)", sourceLocation: sourceLocation)
        for (finding, message) in zip(findings, messages) {
            #expect(finding.message.hasPrefix(message), sourceLocation: sourceLocation)
        }
    }

    static func findings(in file: SourceFile, includes: [String: String] = [:]) -> [Diagnostic] {
        do throws(InvalidApp) {
            _ = try parse(file, includes: includes)
            return []
        } catch {
            return error.diagnostics
        }
    }
}

/// A case of a parameterized test; its text is its name in the report.
struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let expected: [String]

    init(_ text: String, _ expected: String...) {
        self.text = text
        self.expected = expected
    }

    var testDescription: String { text }
}
