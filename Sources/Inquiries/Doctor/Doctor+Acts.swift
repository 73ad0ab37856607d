internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

extension Doctor {
    /// True if the app file that is read is the one whose acts are installed, as far as the role may know.
    mutating func checkActs(of app: App, _ transaction: ReadTransaction) throws {
        let question: Query =
            "select coalesce(has_table_privilege(to_regclass('usher.act'), 'select'), false) as may_read"
        let answer = try transaction.read([question], isLast: false)[0]
        guard try answer.get().only().boolean("may_read") else { return }
        let answers = try transaction.read(
            [
                Self.installed(app), HeldRight.question, SessionReader.question(app.writtenTables),
                ReadSettings.question, "select usher.open_path() as remedies",
            ], isLast: true)
        let remedies = try answers[4].get().only().texts("remedies")
        if !remedies.isEmpty { report(.openPath(remedies: remedies)) }
        for held in try HeldRight.all(try answers[1].get()) { report(.held(held)) }
        let installed = try answers[0].get().first
        guard let installed else {
            report(.noActs(app: app.name))
            return
        }
        let isSame = try installed.text("digest") == app.digest
        let date = try installed.text("date")
        report(isSame ? .acts(try installed.text("acts"), date: date) : .otherActs(date: date))
        for reader in try SessionReader.all(try answers[2].get()) { report(.reader(reader)) }
        let settings = try ReadSettings(try answers[3].get())
        let unknown = Set(settings.names).subtracting(try installed.texts("settings")).sorted()
        if isSame, !unknown.isEmpty { report(.settings(unknown)) }
        if !settings.functions.isEmpty { report(.unknownSettings(of: settings.functions)) }
    }

    /// True if operators were granted columns that are secret, as `roles sql` once did and anybody may.
    mutating func checkSecrets(of app: App, _ transaction: ReadTransaction) throws {
        let secrets = (app.account?.secrets ?? []).compactMap { SQLName.parts(ofPath: $0.column) }.filter {
            $0.count == 3
        }
        if secrets.isEmpty { return }
        let answer = try transaction.read([HeldRight.question(ofSecrets: secrets)], isLast: false)[0]
        for held in try HeldRight.all(try answer.get()) { report(.held(held)) }
    }

    /// True if the app file fits the database in all that it says.
    mutating func checkFile(of app: App, _ options: InquiryOptions) throws(Failure) {
        let checked = try AppCheck.report(on: app, on: connection, options: options)
        let found = checked.findings
        let error = found.first { $0.severity == .error }
        if let first = error ?? found.first {
            report(.mistaken(first, count: found.count, isError: error != nil))
        } else {
            report(.appFile(unchecked: checked.unchecked))
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
