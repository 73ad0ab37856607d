import AppFile
import Asking
import Changes
@testable import Commands
import PQ
import Terminal
import Testing

/// usher lays out warnings and refusals about a user on a screen.
@Suite struct RemarkTests {
    private static func remark(_ sentence: String, of label: String) -> SubjectRemark {
        SubjectRemark(
            subject: ChangeSubject(key: "7", label: label),
            sentence: FilledSentence(Sentence(sentence)) { _ in Value("Harbour Bakery") }, isOfApp: true)
    }

    /// A null fact is not printed as SQL's `null`.
    @Test func sentenceWithANullFactPrintsNotSet() {
        let sentence = FilledSentence(Sentence("Seen at {seen_at}.")) { _ in Value(nil) }
        #expect(sentence.machineText == "Seen at not set." && sentence.message(in: nil) == "Seen at not set.")
    }

    @Test func warningThatNamesItsUserIsPrintedWithoutAUserPrefix() {
        let named = [Self.remark("{name} has an owner.", of: "Harbour Bakery")]
        #expect(named.grouped.map { $0.unnamed?.label } == [nil])
        let others = [Self.remark("{name} has an owner.", of: "ada@example.com")]
        #expect(others.grouped.map { $0.unnamed?.label } == ["ada@example.com"])
        #expect((named + others).grouped.map { $0.unnamed?.label } == [nil])
    }

    /// Without a terminal a message stays on one line, so that grep finds it.
    @Test func messageWrapsBetweenWordsOnATerminal() {
        let failure = Failure(
            .refused, "one two three four five six", hint: "seven eight nine ten eleven",
            details: ["aaa bbb ccc ddd eee"])
        func lines(errorIsTerminal: Bool) -> [String] {
            let screen = RecordingScreen(errorIsTerminal: errorIsTerminal, width: 20)
            ErrorView.show(failure, format: .table, on: screen)
            return screen.err.split(separator: "\n").map(String.init)
        }
        #expect(
            lines(errorIsTerminal: true)
                == [
                    "usher: one two three", "  four five six", "  aaa bbb ccc ddd", "    eee", "hint: seven eight",
                    "  nine ten eleven",
                ])
        #expect(
            lines(errorIsTerminal: false)
                == ["usher: one two three four five six", "  aaa bbb ccc ddd eee", "hint: seven eight nine ten eleven"])
    }
}
