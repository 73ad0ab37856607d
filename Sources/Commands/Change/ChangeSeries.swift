import Asking
import Changes
import PQ
import Terminal

/// Several changes of one command, each an operation of its own: what goes wrong with one leaves the others.
struct ChangeSeries {
    private let context: Context
    private var views: [ChangeView] = []
    /// What was not done, and why.
    private(set) var problems: [String] = []
    /// What helps with the first of it, where something does.
    private(set) var hint: String?

    init(_ context: Context) {
        self.context = context
    }

    /// Makes a change, unless that ends the whole.
    mutating func make(_ name: String, _ request: () throws(Failure) -> ChangeRequest) throws(Failure) {
        do throws(Failure) {
            if context.options.asks {
                views.append(ChangeView(try AskCommand(request: try request(), context: context).report(), context))
                return
            }
            let command = ChangeCommand(request: try request(), context: context)
            let report = try command.report()
            views.append(command.view(report))
            if let partial = ChangeCommand.partial(report, context) { add("\(name): \(partial.words.message)") }
        } catch {
            if error.kind == .interrupted, !context.options.isDryRun, !views.isEmpty {
                throw Failure(.interrupted, "interrupted at \(name); the \(views.count) before it were made")
            }
            // What was not installed, or not said, is missing for all of them.
            if error.state == .notInstalled || error.want == .reason, views.isEmpty { throw error }
            guard [.refused, .failed, .notFound, .conflict, .usage].contains(error.kind) else { throw error }
            add("\(name): \(error.words.message)")
            hint = hint ?? error.words.hint
        }
    }

    mutating func add(_ problem: String) { problems.append(problem) }

    /// Writes what was done for a program; people have seen it.
    func write() throws(Failure) {
        guard context.options.format.shape != .screen else { return }
        try context.report { () throws(Failure) in try ChangeView.write(views, context) }
    }
}
