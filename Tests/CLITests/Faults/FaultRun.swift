import Foundation
import LocalCluster
import PQ
import Support
import Synchronization
import Testing

/// One run of a command with a fault, and the differences between its report and the database.
struct FaultRun {
    let command: TestedCommand
    private let database: TestDatabase
    private let scratch: Scratch
    private let number: Int
    private let watcher: Connection
    private var base = ""

    private static let counter = Atomic<Int>(0)

    /// The result that a command reports.
    enum Outcome: Hashable { case done, partly, nothing, unknown }

    struct Ending {
        let outcome: Outcome
        let status: Int32
        let output: String
        let errors: String
        let count: FaultProxy.Count
        /// The number of rows with the values that the command writes.
        let done: Int
        /// Sentences of the report that the audit log or the rows contradict.
        var contradictions: [String]
    }

    /// Creates the rows that the command needs.
    init(_ command: TestedCommand) throws {
        self.command = command
        database = try command.database()
        scratch = try Scratch()
        number = Self.counter.add(1, ordering: .relaxed).newValue
        watcher = try database.connect()
        for statement in command.rows { _ = try watcher.execute(Query(unsafe: filled(statement))) }
        for words in command.before {
            let result = try Usher.program(try split(words), on: database.conninfo())
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        base = try value("select clock_timestamp()")
        // The run waits until no other session is connected.
        database.endSessions()
    }

    /// Runs the command behind a proxy, and compares its report with the database.
    func end(with trouble: FaultProxy.Trouble?, options: [String] = []) throws -> Ending {
        let proxy = try FaultProxy(before: database.cluster, trouble)
        let words = try split(command.words)
        let result = try Usher.program(words + options, on: proxy.conninfo(database))
        let count = proxy.count
        proxy.stop()
        try waitForTheServer()
        var ending = Ending(
            outcome: outcome(result), status: result.status, output: result.output, errors: result.errors, count: count,
            done: try done(), contradictions: [])
        ending.contradictions = try contradictions(ending)
        if command.isInBatches, ending.contradictions.isEmpty, ending.outcome != .done {
            ending.contradictions = try resume(words + (try running().map { ["--resume", $0] } ?? []))
        }
        return ending
    }

    private func outcome(_ result: Subprocess.Result) -> Outcome {
        switch result.status {
        case 0: .done
        case 7: .partly
        default: result.errors.contains("usher doesn't know whether") ? .unknown : .nothing
        }
    }

    /// The differences between the report and the database.
    private func contradictions(_ ending: Ending) throws -> [String] {
        var contradictions: [String] = []
        let recorded = try recorded()
        if recorded != ending.done { contradictions.append("\(ending.done) rows are done, and \(recorded) recorded") }
        if !command.isInBatches, ending.done != 0, ending.done != command.all {
            contradictions.append("\(ending.done) of \(command.all) rows")
        }
        switch ending.outcome {
        case .done where ending.done != command.all: contradictions.append("reported done")
        case .partly where ending.done == 0: contradictions.append("reported partly done")
        // An interrupted bulk change keeps its finished batches, and the report says so.
        case .nothing
        where ending.done != 0 && !(command.isInBatches && ending.errors.contains("processed so far: ")):
            contradictions.append("reported not done")
        default: break
        }
        let hasArchive = FileManager.default.fileExists(atPath: archive)
        if command.words.contains("--archive"), ending.outcome != .unknown, hasArchive != (ending.done > 0) {
            contradictions.append(hasArchive ? "an archive of nothing" : "no archive")
        }
        if try hasLedger() {
            contradictions += try database.auditFindings().map { "the ledger does not verify: \($0)" }
        }
        return contradictions
    }

    /// Resumes the command; afterwards all rows are changed, each once.
    private func resume(_ words: [String]) throws -> [String] {
        let result = try Usher.program(words, on: database.conninfo())
        // Exit code 4 means that no user was left to change.
        guard result.status == 0 || result.status == 4 else { return ["not resumed: \(result.errors)"] }
        let (done, recorded) = (try done(), try recorded())
        return done == command.all && recorded == command.all ? [] : ["resumed: \(done) rows, \(recorded) recorded"]
    }

    // MARK: The database

    private func filled(_ text: String) -> String {
        text.replacingOccurrences(of: "{n}", with: "\(number)").replacingOccurrences(of: "{base}", with: base)
            .replacingOccurrences(of: "{file}", with: archive)
    }

    private var archive: String { scratch.folder.appendingPathComponent("archive").path }

    private func split(_ words: String) throws -> [String] {
        try filled(words).split(separator: " ").map { word in
            guard word == "{operation}" else { return String(word) }
            return try value(
                "select id from usher.operation where outcome = 'committed' and kind = 'change' order by at desc limit 1"
            )
        }
    }

    private func value(_ sql: String) throws -> String {
        try watcher.execute(Query(unsafe: filled(sql))).first?.values[0].text ?? ""
    }

    private func done() throws -> Int { Int(try value(command.done)) ?? -1 }

    private func hasLedger() throws -> Bool {
        try value("select count(*) from pg_namespace where nspname = 'usher'") == "1"
    }

    private func recorded() throws -> Int { try hasLedger() ? Int(try value(command.recorded)) ?? -1 : 0 }

    private func running() throws -> String? {
        let id = try value(
            """
            select id from usher.operation
             where kind = 'bulk' and at > '{base}' and usher.outcome(id) in ('running', 'partial')
            """)
        return id.isEmpty ? nil : id
    }

    /// Waits until no other session is connected, so the rows can't change any more.
    private func waitForTheServer() throws {
        for _ in 0..<3000 {
            let others = try value(
                """
                select count(*) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
                """)
            if others == "0" { return }
            usleep(10_000)
        }
        Issue.record("sessions of \(command.testDescription) do not end")
    }
}
