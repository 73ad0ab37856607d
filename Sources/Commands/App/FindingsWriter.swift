import AppFile
import Asking
import PQ
import Terminal

/// Writes findings as text, records, GitHub annotations or SARIF.
enum FindingsWriter {
    /// The SARIF rule id, which is the same for every finding.
    private static let rule = JSON.string("app-file")

    static func write(_ findings: [Diagnostic], _ context: Context) throws(Failure) {
        if let format = context.options.findingsFormat {
            context.screen.data(format == .github ? github(findings) : sarif(findings))
        } else if context.options.format == .table {
            for finding in findings { context.screen.write(finding.report.map { SafeText(multiline: $0) }) }
        } else {
            let columns = ["severity", "file", "line", "column", "message", "hint"].map { name in
                Column(name: name, type: ["line", "column"].contains(name) ? .integer : .text)
            }
            let records = findings.map { finding in
                let (line, column) = finding.file.position(of: finding.offset)
                let cells = [
                    finding.severity.rawValue, finding.file.name, "\(line)", "\(column)", finding.message, finding.hint,
                ]
                return Row(columns, cells)
            }
            try RecordWriter(context).write(records, columns: columns)
        }
    }

    /// The findings as GitHub workflow commands, one per line.
    private static func github(_ findings: [Diagnostic]) -> [UInt8] {
        let lines = findings.map { finding in
            let (line, column) = finding.file.position(of: finding.offset)
            let place = " file=\(escaped(path(finding), ":,")),line=\(line),col=\(column)"
            let message = finding.message + (finding.hint.map { "\n\($0)" } ?? "")
            return "::\(finding.severity.rawValue)\(place)::\(escaped(message, ""))\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Escapes text for a GitHub workflow command, which can't contain line breaks or separators.
    private static func escaped(_ text: String, _ marks: String) -> String {
        text.unicodeScalars.map { scalar in
            let isMark = scalar == "%" || scalar == "\r" || scalar == "\n" || marks.unicodeScalars.contains(scalar)
            guard isMark else { return String(scalar) }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    private static func sarif(_ findings: [Diagnostic]) -> [UInt8] {
        let results = findings.map { finding in
            let (line, column) = finding.file.position(of: finding.offset)
            let text = finding.message + (finding.hint.map { " (\($0))" } ?? "")
            let region = JSON([("startLine", line), ("startColumn", column)])
            let place = JSON([
                ("artifactLocation", JSON([("uri", path(finding))])), ("region", region),
            ])
            return JSON([
                ("ruleId", rule), ("level", finding.severity.rawValue), ("message", JSON([("text", text)])),
                ("locations", [JSON([("physicalLocation", place)])]),
            ])
        }
        let driver = JSON([("name", "usher"), ("rules", [JSON([("id", rule)])])])
        let run = JSON([
            ("tool", JSON([("driver", driver)])), ("columnKind", "unicodeCodePoints"), ("results", results),
        ])
        let document = JSON([
            ("$schema", "https://json.schemastore.org/sarif-2.1.0.json"), ("version", "2.1.0"), ("runs", [run]),
        ])
        return Array((document.text(pretty: true) + "\n").utf8)
    }

    private static func path(_ finding: Diagnostic) -> String {
        finding.file.name.hasPrefix("./") ? String(finding.file.name.dropFirst(2)) : finding.file.name
    }
}
