internal import Catalog

/// A platform whose tables have an app file in `sql/platform`.
struct Platform {
    let name: String
    /// The tables that its file reads.
    let tables: [String]
    /// The schemas and tables that a draft leaves to the file.
    let covers: [String]
    /// The table of the users; nil for any with the columns id and email.
    var root: String?
    /// True if its file has the subscriptions of a store; the files of two stores define the same names.
    var isStore = false

    static let all = [
        Platform(
            name: "supabase",
            tables: [
                "auth.audit_log_entries", "auth.flow_state", "auth.identities", "auth.mfa_challenges",
                "auth.mfa_factors",
                "auth.one_time_tokens", "auth.refresh_tokens", "auth.sessions", "storage.buckets", "storage.objects",
                "storage.s3_multipart_uploads",
            ], covers: ["auth", "storage"], root: "auth.users"),
        Platform(
            name: "stripe",
            tables: [
                "charges", "customers", "invoices", "prices", "products", "subscription_items", "subscriptions",
            ].map { "stripe.\($0)" }, covers: ["stripe"], isStore: true),
        Platform(
            name: "revenuecat", tables: ["public.revenuecat_events"], covers: ["public.revenuecat_events"],
            isStore: true),
    ]

    /// True if a table is the platform's own, and not its table of users.
    func hides(_ table: Schema.Table) -> Bool {
        root != table.qualifiedName && (covers.contains(table.schema) || covers.contains(table.qualifiedName))
    }

    /// The platforms whose files a draft includes, one store at most.
    static func included(in schema: Schema, root: Schema.Table, key: Schema.TableColumn) -> [Platform] {
        let fitting = all.filter { $0.describes(schema, root: root, key: key) }
        let store = fitting.first(where: \.isStore)
        return fitting.filter { !$0.isStore || $0.name == store?.name }
    }

    private func describes(_ schema: Schema, root table: Schema.Table, key: Schema.TableColumn) -> Bool {
        let isOfRoot = root.map { $0 == table.qualifiedName } ?? (key.name == "id" && table.column("email") != nil)
        return isOfRoot && !covers.contains(table.qualifiedName) && tables.allSatisfy { schema.table($0) != nil }
            && (root != nil || !covers.contains(table.schema))
    }
}
