import Glibc

extension StandardScreen {
    /// The screen of the terminal for questions, independent of the standard streams; nil without a terminal.
    package static func ofQuestions(noColor: Bool) -> StandardScreen? {
        terminal.map { StandardScreen(noColor: noColor, output: $0, errors: $0) }
    }

    /// Kept open until the program ends, because a screen may be written to at any time.
    ///
    /// The corresponding C function is `open`.
    private static let terminal: Int32? = {
        let descriptor = unsafe open(ControllingTerminal.path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        return descriptor < 0 ? nil : descriptor
    }()
}
