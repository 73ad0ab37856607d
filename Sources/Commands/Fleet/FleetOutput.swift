import Asking
import Terminal

/// The result of a command at one member of a fleet: the status and the errors.
struct MemberResult {
    let member: Member
    let status: ExitStatus
    let errors: String
    /// The output, unless usher has written it.
    let output: [UInt8]
    /// True if the command printed a result; a check with findings has a result, although its exit code is not 0.
    let isAnswer: Bool
}

final class FleetOutput {
    private let context: Context
    /// True if usher keeps the output of each member instead of writing it.
    private let isSilent: Bool
    /// Unwritten bytes of the current member: an incomplete document, the header, or the kept output.
    private var pending: [UInt8] = []
    private var hasWritten = false
    private var hasOutput = false
    private var head: [UInt8]?
    private var isBelowHead = false
    private var json: JSONWriter
    private(set) var ends: [MemberResult] = []

    init(_ context: Context, isSilent: Bool = false) {
        self.context = context
        self.isSilent = isSilent
        json = JSONWriter(pretty: context.screen.isTerminal)
        if format == .json, !isSilent { json.beginArray() }
    }

    private var format: OutputFormat { context.options.format }

    /// Writes output of the current member, or keeps it until a document or header is complete.
    func write(_ bytes: [UInt8], of member: Member) {
        guard !bytes.isEmpty else { return }
        let isFirst = !hasOutput
        hasOutput = true
        if isSilent { return pending += bytes }
        switch format {
        case .table:
            if isFirst {
                if hasWritten { context.screen.write("") }
                context.screen.write(("-- " + SafeText(member.name)).bold)
            }
            data(bytes)
        case .json: pending += bytes
        case .csv, .tsv:
            if isBelowHead { return data(bytes) }
            pending += bytes
            guard let end = Self.endOfRecord(in: pending) else { return }
            if let head, head[...] != pending[..<end] { return }
            isBelowHead = true
            data(Array(head == nil ? pending[...] : pending[end...]))
            head = Array(pending[..<end])
            pending = []
        case .ndjson, .name: data(bytes)
        }
    }

    private func data(_ bytes: [UInt8]) {
        context.screen.data(bytes)
        hasWritten = true
    }

    /// Ends the output of the current member, and stores its status and errors.
    func end(_ member: Member, _ status: ExitStatus, errors: String) {
        var (status, errors) = (status, errors)
        let kept = isSilent ? pending : []
        if isSilent { pending = [] }
        if !pending.isEmpty, format == .json {
            add(String(decoding: pending, as: UTF8.self))
        } else if !pending.isEmpty, !isBelowHead {
            let failure = Failure(
                .partial, "the columns differ from the columns of the other databases",
                hint: "choose common columns with --fields, or use -o ndjson")
            let screen = RecordingScreen()
            ErrorView.show(
                failure, format: format, verbose: context.options.isVerbose, isConsole: context.isConsole,
                of: member.name, on: screen)
            errors += screen.err
            (status, hasOutput) = (.partial, false)
        }
        let isAnswer = status == .done || hasOutput && [.failed, .partial].contains(status)
        ends.append(MemberResult(member: member, status: status, errors: errors, output: kept, isAnswer: isAnswer))
        (pending, hasOutput, isBelowHead) = ([], false, false)
    }

    /// Adds a document, or each element of a list, to the result.
    private func add(_ text: String) {
        switch JSON(reading: text) {
        case .array(let documents)?: documents.forEach { $0.write(into: &json) }
        case let document?: document.write(into: &json)
        case nil: return
        }
        json.drain { context.screen.data($0) }
    }

    func end() {
        context.screen.status(nil)
        guard format == .json, !isSilent else { return }
        json.end()
        json.endLine()
        json.drain { context.screen.data($0) }
    }

    /// The offset after the first record of CSV or TSV; nil if the record is incomplete.
    private static func endOfRecord(in bytes: [UInt8]) -> Int? {
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { return index + 1 }
        }
        return nil
    }
}

extension Context {
    /// Prints the errors and remarks of members of a fleet; an error begins with the name of its member.
    func writeErrors(of ends: [MemberResult]) {
        for end in ends {
            let name = options.format.isJSON || !end.isAnswer ? "" : "\(end.member.name): "
            for line in end.errors.split(separator: "\n") {
                // `ErrorView` already wrote the name into the first line of a failure.
                screen.note(SafeText(line.hasPrefix("usher: \(name)") ? "" : name) + SafeText(line))
            }
        }
    }
}
