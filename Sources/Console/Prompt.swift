import AppFile
import Catalog
import Inquiries
import Terminal

struct Prompt {
    /// The known facts about the database, also after the connection was lost.
    let place: ConnectionSummary?
    let databases: Int?
    /// True if usher could not connect.
    let isOffline: Bool
    let user: String?
    let colors: Bool

    /// The prompt for readline, with marks around text that takes no space.
    var text: String {
        parts.map { part in
            // Each style is rendered separately, because readline counts the text between two marks as empty.
            part.rendered(color: colors).reduce(into: ("", false)) { result, character in
                if character == "\u{1B}" {
                    result.0 += "\u{1}"
                    result.1 = true
                }
                result.0.append(character)
                if result.1, character == "m" {
                    result.0 += "\u{2}"
                    result.1 = false
                }
            }.0
        }.joined(separator: " ") + "> "
    }

    private var parts: [SafeText] {
        var parts: [SafeText] = [place.map { environment($0.environment.name) } ?? "usher"]
        if let app = place?.app { parts.append(SafeText(app.name)) }
        if let databases { parts.append(SafeText("\(databases) databases").dim) }
        if let user { parts.append(SafeText(user).cyan) }
        if let waiting = place?.waiting, waiting > 0 {
            parts.append((SafeText("\(waiting)") + (waiting == 1 ? " request" : " requests")).yellow)
        }
        if place?.isReadOnly == true { parts.append(("read-only" as SafeText).dim) }
        if isOffline { parts.append("(offline)") }
        return parts
    }

    /// Production is also in capitals, for terminals without color and people who don't see the color.
    private func environment(_ name: String) -> SafeText {
        name == "production" ? (" PRODUCTION " as SafeText).bold.red.reversed : SafeText(name).green
    }
}
