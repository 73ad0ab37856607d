/// Hides passwords in texts, so that error messages don't repeat them.
package enum Secrets {
    /// The text with three dots instead of the password in every URI, login and setting.
    package static func masked(_ text: String) -> String {
        // Compiling the expressions takes milliseconds, and most texts can't contain a password.
        guard text.contains(":") || areMentioned(in: text) else { return text }
        // `scheme://user:password@host`, also with one slash.
        // libpq accepts blanks in the password. Digits alone are a port.
        let uri = #/(:/+[^\s:/`]*:)(?:[^\s`]*|(?!\d+(?:[\s/]|$))[^/"'`\n]*)@/#
        let login = #/([^\s`'":]+:)(?!/)[^\s`'"]*@/#
        let setting = #/(pass(?:word|wd|phrase)?|pwd|api_key) *= *(?:'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[^\s&`"]*)/#
        return text.replacing(uri) { "\($0.1)…@" }.replacing(login) { "\($0.1)…@" }
            .replacing(setting.ignoresCase()) { "\($0.1)=…" }
    }

    package static func areMentioned(in text: String) -> Bool {
        let folded = text.lowercased()
        return ["pass", "pwd", "api_key"].contains { folded.contains($0) }
    }
}
