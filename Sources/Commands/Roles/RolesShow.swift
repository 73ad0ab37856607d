import AppFile
import Asking
import CommandLine
import Grants
import PQ

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
