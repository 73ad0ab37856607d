import AppFile
import CommandLine
import Operations
import PQ
import Terminal

/// Takes a change from its plan over the question to what became of it.
struct ChangeCommand {
    let request: ChangeRequest
    let context: Context
    /// Secrets that were made for the operator, who sees them once.
    var generated: [(name: String, value: String)] = []

    private var options: GlobalOptions { context.options }

    /// Makes the change, shows it, and says with the exit status how much of it there was.
    func perform() throws(Failure) -> ExitStatus {
        try refuseInstant()
        switch try open() {
        case .one(let session): return try perform(session)
        case .bulk(let session): return try BulkCommand(session: session, context: context).perform()
        }
    }

    private func perform(_ session: ChangeSession) throws(Failure) -> ExitStatus {
        if options.isDryRun {
            let report = try session.plan()
            try show(report)
            return try status(of: report)
        }
        var question = ChangeQuestion(session.grade, confirmation: session.confirmation, options)
        if question.isConfirmed { session.confirm() }
        guard question.isOpen else {
            let report = try session.run(as: nil)
            try show(report)
            return try status(of: report)
        }
        let plan = try session.plan()
        if plan.changes.isEmpty {
            try show(plan)
            return try status(of: plan)
        }
        if session.isSevere(plan) {
            question = ChangeQuestion(.severe, confirmation: session.confirmation, options)
        }
        // For people the plan is what they decide on; programs get one document, at the end.
        if options.format == .table { context.screen.write(ChangeView(plan, context).planLines) }
        context.screen.flush()
        if question.isOpen {
            do throws(Failure) { try question.ask() } catch { try session.decline(error) }
            session.confirm()
        }
        let report: ChangeReport
        do throws(Failure) {
            report = try session.run(as: plan)
        } catch {
            if error.kind == .conflict, let moved = try? session.plan() {
                if options.format == .table { context.screen.write(ChangeView(moved, context).planLines) }
            }
            throw error
        }
        if options.format == .table {
            context.screen.write(ChangeView(report, context, generated: generated).conclusion)
        } else {
            try show(report)
        }
        return try status(of: report)
    }

    private func refuseInstant() throws(Failure) {
        guard options.at != nil else { return }
        throw Failure(.usage, "--at is for reading; a change happens now", hint: "leave --at out")
    }

    private func open() throws(Failure) -> OpenedChange {
        let context = context
        return try OpenedChange.open(
            request, on: try context.connection(), candidates: try context.candidates(), options: context.inquiry
        ) { () throws(Failure) in try context.connectionOfItsOwn() }
    }

    private func show(_ report: ChangeReport) throws(Failure) {
        try ChangeView(report, context, generated: generated).write()
    }

    /// Done, or partly done when some were refused.
    private func status(of report: ChangeReport) throws(Failure) -> ExitStatus {
        if let operation = report.operation { context.noteOperation(operation) }
        guard !report.refused.isEmpty else { return .done }
        let all = report.count + report.refused.count
        throw Failure(
            .partial, "\(report.refused.count) of \(all) were refused or failed",
            details: report.refused.prefix(20).map { remark in
                (remark.subject.map { "\($0.label): " } ?? "") + remark.sentence.machineText
            })
    }
}

/// The question that a change of some grade has to have answered before it is made.
struct ChangeQuestion {
    private let grade: App.Grade
    private let confirmation: String
    private let options: GlobalOptions

    init(_ grade: App.Grade, confirmation: String, _ options: GlobalOptions) {
        self.grade = grade
        self.confirmation = confirmation
        self.options = options
    }

    /// Whether it is not answered yet.
    var isOpen: Bool {
        switch grade {
        case .mild: false
        case .moderate: !options.saysYes && !isConfirmed
        case .severe: !isConfirmed
        }
    }

    /// Whether --confirm says what a severe change needs.
    var isConfirmed: Bool { options.confirmation.map(matches) ?? false }

    private func matches(_ answer: String) -> Bool { answer.lowercased() == confirmation.lowercased() }

    /// Asks the operator, and throws unless the answer is what it has to be.
    func ask() throws(Failure) {
        if let given = options.confirmation, !matches(given) {
            throw Failure(
                .refused, "--confirm \(given) is not what this needs; nothing was changed",
                hint: "--confirm \(quoteWord(confirmation))")
        }
        let isSevere = grade == .severe
        let flag = isSevere ? "--confirm \(quoteWord(confirmation))" : "--yes"
        guard !options.noInput else { throw Self.unanswerable(flag) }
        let isAgreed: Bool
        do throws(AskError) {
            if isSevere {
                let expected = SafeText(confirmation).bold
                isAgreed =
                    try Ask.line(
                        "Type " + expected + " to go on:", isInterrupted: { Cancellation.interrupt.isRequested }
                    ).map(matches) ?? false
            } else {
                isAgreed = try Ask.confirm("Do it?", isInterrupted: { Cancellation.interrupt.isRequested })
            }
        } catch {
            switch error {
            case .noTerminal: throw Self.unanswerable(flag)
            case .interrupted: throw Failure(.interrupted, "interrupted; nothing was changed")
            }
        }
        guard isAgreed else { throw Failure(.refused, "declined; nothing was changed") }
    }

    private static func unanswerable(_ flag: String) -> Failure {
        Failure(
            .refused, "this has to be confirmed, and there is nobody to ask; nothing was changed", hint: "add \(flag)")
    }
}
