import CommandLine
import Operations
import Terminal

extension Verb {
    static let version = Verb(
        Command(
            path: ["version"], summary: "The version of the program.",
            examples: [Example(command: "version", explains: "For a bug report.")])
    ) { _, context throws(Failure) in
        VersionView.show(context)
        return .done
    }
}

/// How the version is written.
package enum VersionView {
    package static let number = "0.1.0"

    package static func show(_ context: Context) {
        if context.options.format.isJSON {
            context.screen.write(SafeText(json: JSON([("version", .string(number))])))
        } else {
            context.screen.write("usher " + SafeText(number))
        }
    }
}
