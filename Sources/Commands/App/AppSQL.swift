import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let appSQL = Command(
        "app sql", summary: "Print a block of an app file as SQL for psql.",
        discussion: """
            BLOCK is the name of a decision, panel, quota, list, check, selection, timeline, statistic or object. If two \
            blocks share a name, add the kind: 'panel orders'. A statement about one user takes the first user, or the user \
            that you give to psql with -v user=ID. If the block uses an @optional table or column, usher connects to the \
            database, to print the block without what the database doesn't have.
            """,
        arguments: [Argument("BLOCK", .text, summary: "The name of the block."), .app],
        examples: [
            Example(
                "app sql access ./mine.sql | psql shop", explains: "Run a decision for every user.",
                output: """
                      id |      email      | plan | outcome
                    -----+-----------------+------+---------
                       2 | ben@example.com | free | closed
                    """)
        ], traits: .reachesDatabase
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) -> Void in
        let app = try AppShow.chosen(invocation, context)
        let text = invocation.argument("BLOCK") ?? ""
        let written = try script(text, of: app)
        // Only the database shows which optional columns exist.
        let isFixed = (try? script(text, of: app.without(app.optional))) == written
        let fitted = isFixed ? written : try script(text, of: try app.fitted(on: try context.connection()))
        context.screen.data(Array(fitted.utf8))
    }

    /// The SQL of a block, in the form that psql can run.
    private static func script(_ text: String, of app: App) throws(Failure) -> String {
        let blocks = app.blocksAsSQL
        let found = blocks.filter { block in
            [block.name, "\(block.kind) \(block.name)"].contains { $0.lowercased() == text.lowercased() }
        }
        guard let block = found.first else {
            let names = Set(blocks.map(\.name)).sorted().joined(separator: ", ")
            throw Failure(.notFound, "the app \(app.name) has no block named \(text)", hint: "choose one of: \(names)")
        }
        guard found.count == 1 else {
            let names = found.map { "'\($0.kind) \($0.name)'" }.joined(separator: " or ")
            throw Failure(.conflict, "the app \(app.name) has several blocks named \(text)", hint: "write \(names)")
        }
        let head = block.sql.contains(":'user'") ? app.firstUserForPsql + "\n" : ""
        return "\(head)\(block.sql.trimmed);\n"
    }
}
