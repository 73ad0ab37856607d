import Glibc

extension StandardScreen {
    /// The screen of the terminal that questions are asked on, wherever the standard streams lead; nil where there is none.
    package static func ofQuestions(noColor: Bool) -> StandardScreen? {
        terminal.map { StandardScreen(noColor: noColor, output: $0, errors: $0) }
    }

    /// Held until the program ends, since a screen may be written to at any time.
    ///
    /// The corresponding C function is `open`.
    private static let terminal: Int32? = {
        let descriptor = unsafe open(ControllingTerminal.path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        return descriptor < 0 ? nil : descriptor
    }()
}
