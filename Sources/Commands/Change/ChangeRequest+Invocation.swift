import AppFile
import Asking
import Changes
import CommandLine
import Glibc
import PQ
import Terminal

extension ChangeRequest {
    /// A request with the values of the global options.
    init(_ what: What, _ context: Context) {
        self.init(what)
        reason = context.options.reason
        ticket = context.options.ticket
        isDryRun = context.options.isDryRun
    }
}

/// The subjects of a change: named on the command line, read from a file or from standard input.
enum Subjects {
    /// The option `--from FILE`, which supplies the users instead of an argument.
    static func option(for argument: String) -> Option {
        Option(
            "--from FILE|-", .file, summary: "Read the users from a file, one per line; # begins a comment.",
            supplies: argument)
    }

    /// The option `--resume ID`.
    ///
    /// With --resume the argument is optional, because the audit log contains the subjects.
    static func resume(
        of argument: String? = nil, _ summary: String = "Continue an interrupted bulk change."
    ) -> Option {
        Option("--resume ID", .named("operation"), summary: summary, supplies: argument, allowsSupplied: true)
    }

    /// All named subjects, in order.
    static func read(_ invocation: Invocation, argument: String, _ context: Context) throws(Failure) -> [String] {
        var names: [String] = []
        for word in invocation.arguments(argument) { names += word == "-" ? try lines(of: "-", context) : [word] }
        if let path = invocation.option("from") { names += try lines(of: path, context) }
        return names
    }

    private static func lines(of path: String, _ context: Context) throws(Failure) -> [String] {
        try context.refuseStandardInput(path, of: "the users", hint: "read the users from a file: --from FILE")
        let noText = Failure(.usage, "\(path == "-" ? "standard input" : path) is not UTF-8 text")
        return try readText(path, noText: noText).unicodeScalars.split(separator: "\n").compactMap { line in
            let text = String(line).trimmed
            return text.isEmpty || text.hasPrefix("#") ? nil : text
        }
    }
}

/// Asks for secret values without echo, or generates them; a command line never contains secrets.
enum SecretValues {
    static func ask(
        for parameters: [ParameterDeclaration], _ context: Context
    ) throws(Failure) -> (values: [String: String], generated: [(name: String, value: String)]) {
        var values: [String: String] = [:]
        var generated: [(name: String, value: String)] = []
        for parameter in parameters where parameter.isSecret {
            let answer = try ask(parameter, context)
            let value = answer ?? make()
            values[parameter.name] = value
            if answer == nil { generated.append((parameter.name, value)) }
        }
        return (values, generated)
    }

    /// The typed secret; nil if usher should generate a secret.
    private static func ask(_ parameter: ParameterDeclaration, _ context: Context) throws(Failure) -> String? {
        let missing = Failure(
            .refused, "\(parameter.name) is a secret, and usher can ask for secrets only at a terminal",
            hint: "run the command at a terminal; usher doesn't accept secrets on the command line")
        if context.options.noInput {
            if parameter.isOptional { return nil }
            throw missing
        }
        let hint: SafeText = parameter.isOptional ? " (press Enter to generate a secret)" : ""
        if let summary = parameter.summary { context.screen.note(SafeText(summary)) }
        let answer: String?
        do throws(Failure) {
            answer = try ControllingTerminal.answer { terminal throws(AskError) in
                try terminal.secret(SafeText(parameter.name) + hint + ":") ?? ""
            }
        } catch {
            throw error.saying(nothing: .changed)
        }
        if let answer, !answer.isEmpty { return answer }
        if parameter.isOptional { return nil }
        if answer == nil { throw missing }
        throw Failure(
            .refused, "the secret \(parameter.name) is missing", nothing: .changed,
            hint: "run the command again, and type the secret")
    }

    /// Sixteen letters and digits that are easy to tell apart, in groups: 80 bits.
    private static func make() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let letters = (0..<16).map { _ in alphabet[Int.random(in: alphabet.indices)] }
        return stride(from: 0, to: 16, by: 4).map { String(letters[$0..<($0 + 4)]) }.joined(separator: "-")
    }
}
