import Asking
import CommandLine
import Grants
import Terminal

extension Verb {
    static let rolesSQL = Command(
        "roles sql", summary: "Print the grants that operators need, as SQL.",
        discussion: """
            usher derives the grants from the statements of the app file, column by column. usher_support can read the \
            data that usher shows, and the keys that a deletion plan counts. Actions need no grants on tables, because they run \
            with the rights of the owner of the schema usher. This command doesn't change the database.
            """,
        examples: [
            Example(
                "roles sql | less", explains: "Read the script, then run it with psql.",
                output: """
                    grant select (id, email) on public.profiles to usher_support;
                    """)
        ],
        traits: .reports
    ).verb { _, context throws(Failure) in
        let grants = try RoleGrants.derive(
            on: try context.connectionToChange(), candidates: try context.candidates(), options: context.inquiry)
        if context.showsScreen {
            context.screen.data(Array(grants.script.utf8))
        } else {
            let records = (grants.grants + grants.policies).map { [$0.role.name, $0.owner, $0.sql] }
            try RecordWriter.write(records, columns: ["role", "owner", "sql"], key: "sql", context)
            context.report(gapsIn: grants)
        }
        return .done
    }
}

extension Context {
    /// Reports blocks of the app file with unknown grants, and secret columns, for which usher prints no grants.
    func report(gapsIn grants: RoleGrants) {
        for unknown in grants.unknown { report(unavailable: unknown.name, because: unknown.reason.message) }
        for path in grants.secretsRead { report(unavailable: path, because: RoleGrants.whySecret) }
    }
}
