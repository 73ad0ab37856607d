import AppFile
import Asking
import CommandLine
import Grants
import PQ
import Terminal

extension Verb {
    static let rolesShow = Command(
        "roles show", summary: "Show which grants each role has, and which are missing.",
        discussion: """
            Each role includes the grants of the roles before it; the list shows only the additional grants. `granted` is empty if the role \
            doesn't exist.
            """,
        examples: [
            Example(
                "roles show", explains: "Is a grant missing?",
                output: """
                    role           privilege  on               granted  missing
                    usher_support  select     public.profiles  yes
                    """)
        ], traits: .reports
    ).verb { _, context throws(Failure) in
        let connection = try context.connectionToChange()
        let grants = try RoleGrants.derive(
            on: connection, candidates: try context.candidates(), options: context.inquiry)
        let columns = ["role", "privilege", "on", "columns", "granted", "missing"].map {
            Column(name: $0, type: $0 == "granted" ? .boolean : .text)
        }
        let isScreen = context.options.format == .table
        let records = try grants.standing(on: connection, options: context.inquiry).map { standing in
            func shown(_ names: [String]) -> String? {
                let read = names.map { $0 == standing.subject ? standing.path : SQLName.path(of: [$0]) }
                return names.isEmpty ? nil : (isScreen ? read : names).joined(separator: ", ")
            }
            let cells = [
                standing.role.name, standing.privilege, isScreen ? standing.path : standing.subject,
                shown(standing.columns), standing.isGranted.map { $0 ? "t" : "f" }, shown(standing.missing),
            ]
            return Row(columns, cells)
        }
        try RecordWriter(context, shown: ["role", "privilege", "on", "granted", "missing"])
            .write(records, columns: columns)
        context.report(gapsIn: grants)
        return .done
    }
}

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
    ).verb { _, context throws(Failure) -> Void in
        let grants = try RoleGrants.derive(
            on: try context.connectionToChange(), candidates: try context.candidates(), options: context.inquiry)
        if context.showsScreen {
            context.screen.data(Array(grants.script.utf8))
        } else {
            let records = (grants.grants + grants.policies).map { [$0.role.name, $0.owner, $0.sql] }
            try RecordWriter.write(records, columns: ["role", "owner", "sql"], key: "sql", context)
            context.report(gapsIn: grants)
        }
    }
}

extension Context {
    /// Reports blocks of the app file with unknown grants, and secret columns, for which usher prints no grants.
    func report(gapsIn grants: RoleGrants) {
        for unknown in grants.unknown { report(unknown.name, because: unknown.reason.message) }
        for path in grants.secretsRead { report(path, because: RoleGrants.whySecret) }
    }
}
