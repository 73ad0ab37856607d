import CommandLine
import Commands
internal import CReadline
import PQ
import Synchronization
import Terminal

/// A question that is answered with readline: its own history, and TAB for what may be answered.
///
/// There is one terminal, and so at most one question is open.
struct Question {
    /// The completions of the typed text.
    let complete: (_ typed: String) -> Completer.Offer
    /// Shows what may be answered.
    let show: ([Completion.Candidate]) -> Void

    nonisolated(unsafe) private static var current: Question?
    /// The one that waits for its answer.
    static var open: Question? { unsafe current }
    private static let answered = Mutex<[String: [String]]>([:])

    /// Answers to questions on a screen, nil where there is no readline.
    static func editor(on screen: any Screen) -> AnswerEditor {
        AnswerEditor { (question, topic, complete) throws(AskError) in
            guard let editor = try? LineEditor() else {
                return try Ask.line(question, isInterrupted: { Cancellation.interrupt.isRequested })
            }
            let show: ([Completion.Candidate]) -> Void = { candidates in
                screen.write([""] + CandidateList.lines(candidates, width: screen.width))
                screen.flush()
            }
            unsafe current = Question(complete: complete, show: show)
            defer { unsafe current = nil }
            let earlier = answered.withLock { $0[topic] ?? [] }
            let line = LineEditor.recalling(earlier) { editor.read(prompt: question.description + " ") }
            switch line {
            case .text(let answer):
                if !answer.isEmpty {
                    answered.withLock { $0[topic] = earlier.filter { $0 != answer } + [answer] }
                }
                return answer
            case .end: return nil
            case .discarded, .terminated:
                Cancellation.interrupt.request()
                throw .interrupted
            }
        }
    }
}
