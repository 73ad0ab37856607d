import Asking
import Changes
import PQ
import Terminal

/// Several changes of one command, each with its own operation; if one change fails, the other changes still run.
struct ChangeSeries {
    private let context: Context
    private var views: [ChangeView] = []
    private var refusals: [(name: String, reason: String)] = []
    /// The hint of the first failure.
    private(set) var hint: String?

    init(_ context: Context) {
        self.context = context
    }

    /// Makes one change and collects its failure; throws if the failure ends the series.
    mutating func make(_ name: String, _ request: () throws(Failure) -> ChangeRequest) throws(Failure) {
        do throws(Failure) {
            var command = ChangeCommand(request: try request(), context: context)
            command.showsProgress = !isSorted
            let report = try command.report()
            views.append(command.view(report))
            if !context.options.asks, let partial = ChangeCommand.partial(report, context) {
                add(name, partial.message(in: context.zone))
            }
        } catch {
            if error.code == Failure.isExcepted { return }
            if error.kind == .interrupted, !context.options.isDryRun, !views.isEmpty {
                throw Failure(.interrupted, "interrupted at \(name), after \(views.count.of("change"))")
            }
            // A missing installation or a missing reason would stop all other changes, too.
            if error.state == .notInstalled || error.code == Failure.noReason, views.isEmpty { throw error }
            guard [.refused, .declined, .failed, .notFound, .conflict, .usage].contains(error.kind) else { throw error }
            add(name, error.message(in: context.zone))
            hint = hint ?? error.hint
        }
    }

    mutating func add(_ name: String, _ reason: String) { refusals.append((name, reason)) }

    var undone: Int { refusals.count }

    /// The reasons why changes failed, for the error; empty if `write` prints the reasons itself.
    var details: [String] { isSorted ? [] : problems }

    private var problems: [String] {
        refusals.grouped { $0.reason }.map { $0.map(\.name).joined(separator: ", ") + ": " + $0[0].reason }
    }

    /// True if the output goes to a pipe: successes come first, then failures.
    private var isSorted: Bool { context.showsScreen && !context.screen.isTerminal && !context.options.asks }

    /// Writes the report; on a terminal, people have already seen the successes.
    func write(done: SafeText, undone: SafeText) throws(Failure) {
        if isSorted {
            context.screen.write([done.bold + ":"] + (views.isEmpty ? ["  nothing"] : views.flatMap(\.lines)))
            if !problems.isEmpty { context.screen.write([undone.bold + ":"] + problems.map { "  " + SafeText($0) }) }
            context.screen.flush()
        } else if !context.showsScreen {
            try ChangeView.write(views, context)
        }
    }
}
