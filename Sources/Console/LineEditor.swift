import Asking
import CommandLine
import Commands
internal import CReadline
import Glibc
import PQ
import Synchronization
import Terminal

/// Reads lines on a terminal with GNU readline, with its keys, history and editing.
///
/// readline has global state, so there is only one editor. The C callbacks find the editor in a global variable.
struct LineEditor {
    enum Line {
        case text(String)
        case discarded
        case end
        /// A signal asked the program to end.
        case terminated
    }

    nonisolated(unsafe) private static var complete: ((_ words: [String]) -> Completer.Offer)?
    nonisolated(unsafe) private static var show: ((_ candidates: [Completion.Candidate]) -> Void)?
    private static let offered = Mutex<[Completion.Candidate]>([])

    /// Prepares readline; `complete` finds the candidates for TAB, and `show` lists them.
    init(
        complete: @escaping ([String]) -> Completer.Offer, show: @escaping ([Completion.Candidate]) -> Void
    ) throws(Failure) {
        unsafe (Self.complete, Self.show) = (complete, show)
        if let problem = unsafe usher_open_readline() {
            throw Failure(
                .failed, "the console needs GNU readline: \(unsafe String(cString: problem))",
                hint: "install the package libreadline8 or libreadline8t64 (Debian, Ubuntu) or readline (Fedora)")
        }
        // readline keeps the pointer, so the name must live as long as the program.
        unsafe usher_prepare_readline(strdup("Usher"), { LineEditor.idle() }, completeLine, showMatches)
    }

    func read(prompt: String) -> Line {
        Cancellation.interrupt.reset()
        // The window may have been resized while a command ran.
        rl_reset_screen_size()
        guard let line = unsafe usher_read_line(prompt) else {
            return Cancellation.interrupt.isTermination ? .terminated : .end
        }
        defer { unsafe free(line) }
        if Cancellation.interrupt.isTermination { return .terminated }
        let text = unsafe String(cString: line)
        return text == USHER_DISCARDED ? .discarded : .text(text)
    }

    private static func idle() -> Int32 {
        if Cancellation.interrupt.isRequested { usher_discard_line() }
        return 0
    }

    /// The matches for the word at an offset of the line, as readline expects them.
    fileprivate static func matches(
        _ text: UnsafePointer<CChar>?, from start: Int
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        usher_offer_nothing_else()
        guard let text = unsafe text, let line = unsafe usher_line() else { return nil }
        let typed = unsafe String(cString: text)
        let before = unsafe String(decoding: UnsafeRawBufferPointer(start: line, count: start), as: UTF8.self)
        let typing = TypedLine(before + typed)
        guard let offer = unsafe complete?(typing.words) else { return nil }
        // readline replaces the text after the last space, which may be a part of the word.
        let kept = typing.lastWord.utf8.count - typed.utf8.count
        var found: [(text: String, candidate: Completion.Candidate)] = []
        func add(_ word: String, _ candidate: Completion.Candidate, isOpen: Bool) {
            let written = typing.written(word, isOpen: isOpen)
            guard kept >= 0, written.hasPrefix(typing.lastWord) || kept == 0 else { return }
            found.append((String(decoding: written.utf8.dropFirst(kept), as: UTF8.self), candidate))
        }
        for candidate in offer.candidates { add(candidate.name, candidate, isOpen: offer.isOpen) }
        let files = offer.files ? files(beginning: offer.typed) : []
        for file in files { add(offer.lead + file.path, .init(file.name), isOpen: file.isFolder) }
        offered.withLock { $0 = found.map(\.candidate) + (offer.isPartial ? [.init("…")] : []) }
        guard !found.isEmpty else { return nil }
        let isFolder = found.count == 1 && files.contains { $0.isFolder && $0.name == found[0].candidate.name }
        usher_leave_word_open(offer.isOpen || isFolder ? 1 : 0)
        return unsafe array(of: found.map(\.text), typed: typed, isPartial: offer.isPartial)
    }

    private struct File {
        /// The completed path.
        let path: String
        /// The last part of the path, with a slash for a folder.
        let name: String
        let isFolder: Bool
    }

    /// The files with a path prefix, without names that contain control characters.
    private static func files(beginning text: String) -> [File] {
        var files: [File] = []
        var count: Int32 = 0
        while let found = unsafe rl_filename_completion_function(text, count) {
            defer { unsafe free(found) }
            count += 1
            let path = unsafe String(cString: found)
            guard SafeText(path).description == path else { continue }
            var status = stat()
            let isFolder = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            let end = isFolder ? "/" : ""
            let name = path.split(separator: "/").last.map { $0 + end } ?? path
            files.append(File(path: path + end, name: name, isFolder: isFolder))
        }
        return files.sorted { $0.path < $1.path }
    }

    /// The common prefix of all matches, then the matches; readline owns the memory.
    private static func array(
        of matches: [String], typed: String, isPartial: Bool
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        var common = matches[0]
        for match in matches.dropFirst() { common = common.commonPrefix(with: match) }
        // Completion never removes typed text.
        if common.utf8.count < typed.utf8.count { common = typed }
        // If some matches are missing, the common prefix is unknown.
        if isPartial { common = typed }
        let all = matches.count == 1 && !isPartial ? [matches[0]] : [common] + matches
        let size = unsafe MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        guard let memory = unsafe calloc(all.count + 1, size) else { return nil }
        let array = unsafe memory.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: all.count + 1)
        for (index, text) in all.enumerated() { unsafe array[index] = unsafe strdup(text) }
        return unsafe array
    }

    /// Shows the meanings of the matches, and then the typed line again.
    fileprivate static func showOffered() {
        guard let show = unsafe show else { return }
        show(offered.withLock { $0 })
        rl_forced_update_display()
    }
}

private func completeLine(
    _ text: UnsafePointer<CChar>?, _ start: Int32, _ end: Int32
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    unsafe LineEditor.matches(text, from: Int(start))
}

private func showMatches(
    _ matches: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int32, _ longest: Int32
) {
    LineEditor.showOffered()
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
