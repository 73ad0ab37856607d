import Foundation
import PQ
import Support
import Testing

/// A committed change stays committed if usher can't write its report, and the error says so.
@Suite(.long) struct UnwrittenReportTests {
    private let database: TestDatabase

    init() throws { database = try MarkedDatabase.fresh() }

    private func shell(_ script: String) throws -> Subprocess.Result {
        try Usher.shell(script, on: database.conninfo())
    }

    private func operation() throws -> String {
        try database.connect().execute("select id from usher.operation where outcome = 'committed' order by at desc")
            .first?.shown("id")?.text ?? ""
    }

    private static let outputs = [
        (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
        ("| { exec <&-; sleep 2; }; exit ${PIPESTATUS[0]}", "the program that read the output has ended"),
    ]

    @Test(arguments: outputs)
    func changeNamesItsOperationIfTheReportCannotBeWritten(_ output: String, _ reason: String) throws {
        let result = try shell("usher partner grant ada@example.com --source marketing --yes \(output)")
        #expect(result.status == 0)
        let done = try operation()
        #expect(
            result.errors == "The change is done, as operation \(done); usher couldn't write the report: \(reason).\n")
    }

    @Test(arguments: outputs)
    func changeNamesItsOperationInJSONIfTheReportCannotBeWritten(_ output: String, _ reason: String) throws {
        for format in ["json", "ndjson"] {
            let result = try shell(
                "usher quota set mastery impulse_limit 1\(format.count) --yes -o \(format) \(output)")
            #expect(result.status == 0, "\(result.errors)")
            let done = try operation()
            #expect(result.errors == #"{"operation":"\#(done)","unwritten":"\#(reason)"}"# + "\n")
        }
    }

    /// Without a handler, the signal SIGXFSZ would end usher without a message.
    @Test func changeReportsThatAFileSizeLimitPreventedItsReport() throws {
        let scratch = try Scratch()
        let file = try scratch.path(of: "report", holding: "")
        // The limit applies to every file, so standard error goes through a pipe to another process.
        let result = try shell(
            """
            exec 3> >(cat >&2); other=$!
            ulimit -f 0
            usher partner grant ada@example.com --source marketing --yes >'\(file)' 2>&3; status=$?
            exec 3>&-; wait $other; exit $status
            """)
        #expect(result.status == 0)
        let done = try operation()
        #expect(
            result.errors
                == "The change is done, as operation \(done); usher couldn't write the report: File too large.\n")
    }

    @Test func unknownFieldInTheFieldsOptionIsRefusedBeforeTheChange() throws {
        for words in ["quota set mastery impulse_limit 23 --yes -o csv --fields nope", "quota show --fields nope"] {
            let result = try shell("usher \(words)")
            #expect(result.status == 2 && result.output == "", "\(result.errors)")
        }
        #expect(try operation() == "")
    }

    @Test func deletionNamesItsOperationIfTheReportCannotBeWritten() throws {
        let words = "account delete ada@example.com --confirm ada@example.com"
        let result = try shell("usher \(words) --shared delete >/dev/full")
        #expect([0, 7].contains(result.status))
        let done = try operation()
        let line = "The change is done, as operation \(done); usher couldn't write the report: No space left on device."
        #expect(result.errors.split(separator: "\n").contains { $0 == line }, "\(result.errors)")
    }

    /// A trigger of the commit raises a warning, as a server does if no replica confirms the commit.
    @Test func changeReportsAServerWarningDuringItsCommit() throws {
        try database.run(
            """
            create function public.warn() returns trigger language plpgsql as $$ begin
                raise warning 'not replicated' using detail = 'It may be lost.';
                return null;
            end $$
            """,
            """
            create function public.defer() returns trigger language plpgsql as $$ begin
                set constraints all deferred;
                return new;
            end $$
            """,
            """
            create constraint trigger warn after insert on usher.operation deferrable initially deferred
                for each row when (new.outcome = 'committed') execute function public.warn()
            """, "create trigger defer before insert on usher.operation for each row execute function public.defer()")
        let grant = ["partner", "grant", "ada@example.com", "--source", "marketing", "--yes"]
        let result = try Usher.run(grant, on: database.conninfo())
        #expect(result.status == 7)
        #expect(result.output.contains("Done."))
        #expect(
            result.errors == """
                usher: the change is done, but the server sent a warning during the commit
                  not replicated: It may be lost.

                """)
        let undo = try Usher.run(["audit", "undo", try operation(), "--yes", "--json"], on: database.conninfo())
        #expect(undo.status == 7)
        #expect((try object(undo.output)["warnings"] as? [String])?.last == "not replicated: It may be lost.")
        #expect(try errorObject(undo)["code"] as? String == "partial")
        let install = try Usher.run(["install", "--environment", "test", "--json"], on: database.conninfo())
        #expect(install.status == 7)
        #expect(try object(install.output)["warnings"] as? [String] == ["not replicated: It may be lost."])
    }
}
