internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

extension Doctor {
    /// Whether the app file that is read is the one whose acts are installed, as far as the role may know.
    mutating func checkActs(of app: App, _ transaction: ReadTransaction) throws {
        let question: Query =
            "select coalesce(has_table_privilege(to_regclass('usher.act'), 'select'), false) as may_read"
        let answer = try transaction.read([question], isLast: false)[0]
        guard try answer.get().only().boolean("may_read") else { return }
        let answers = try transaction.read(
            [Self.installed(app), HeldRight.question, SessionReader.question(app.writtenTables)], isLast: true)
        for held in try HeldRight.all(try answers[1].get()) {
            report("operators", .ill, "\(held.sentence), and change nothing themselves", held.remedy)
        }
        let installed = try answers[0].get().first
        let remedy = "the owner of the database runs `usher install` with this app file"
        guard let installed else {
            report("acts", .doubtful, "nothing that \(app.name) lets operators do is installed", remedy)
            return
        }
        let (digest, date) = (try installed.text("digest"), try installed.text("date"))
        if digest == app.digest {
            report("acts", .well, "\(try installed.text("acts")) of this app file, installed on \(date)")
        } else {
            report("acts", .doubtful, "installed are those of another version of this app file, of \(date)", remedy)
        }
        let readers = try SessionReader.all(try answers[2].get())
        for reader in readers.ofUsers {
            report(
                "acts", .doubtful, reader.sentence, "of what operators do, current_user is the owner, session_user they"
            )
        }
        let unknown = Set(readers.settings).subtracting(try installed.texts("settings")).sorted()
        if digest == app.digest, !unknown.isEmpty {
            report(
                "acts", .ill, "triggers read \(unknown.joined(separator: ", ")) as an operator may have set it", remedy)
        }
    }

    /// Whether the app file fits the database in all that it says.
    mutating func checkFile(of app: App, _ options: InquiryOptions) throws(Failure) {
        let found = try AppCheck.findings(in: app, on: connection, options: options)
        let errors = found.filter { $0.severity == .error }
        if let first = found.first(where: { $0.severity == .error }) ?? found.first {
            let (line, column) = first.file.position(of: first.offset)
            let more = found.count > 1 ? ", and \(found.count - 1) more" : ""
            report(
                "app file", errors.isEmpty ? .doubtful : .ill,
                "\(first.file.name):\(line):\(column): \(first.message)\(more)",
                "`usher app check` shows every finding at its place")
        } else {
            report("app file", .well, "every statement of it fits this database")
        }
    }

    /// Asks which version of an app is installed, since when, and how many acts it has; for whoever may read the schema.
    private static func installed(_ app: App) -> Query {
        """
        select encode(a.digest, 'hex') as digest, a.installed_at::date::text as date,
               array(select jsonb_array_elements_text(coalesce(a.definition -> 'settings', '[]'))) as settings,
               (select count(*) from usher.act o where (o.app, o.digest) = (a.app, a.digest) and o.retired_at is null) - 1 as acts
          from usher.act a
         where a.app = \(app.name) and a.kind = 'app' and a.retired_at is null
        """
    }
}
