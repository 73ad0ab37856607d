internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
internal import PQ

extension Doctor {
    /// Checks that the app file is the installed one, as far as the role can read that.
    mutating func checkActs(of app: App, _ transaction: ReadTransaction) throws {
        let question: Query =
            "select coalesce(has_table_privilege(to_regclass('usher.act'), 'select'), false) as may_read"
        let answer = try transaction.read([question], isLast: false)[0]
        guard try answer.get().only().boolean("may_read") else { return }
        let answers = try transaction.read(
            [
                Self.installed(app), HeldRight.question, ReadSettings.question,
                "select usher.open_path() as remedies",
            ], isLast: true)
        let remedies = try answers[3].get().only().texts("remedies")
        if !remedies.isEmpty {
            report(
                .ill(
                    "acts", "no action runs, because operators can create functions on its search path",
                    remedy: remedies.joined(separator: " ")))
        }
        for held in try HeldRight.all(try answers[1].get()) {
            report(
                .ill(
                    "operators", "\(held.sentence), but operators should only change data through usher",
                    remedy: held.remedy))
        }
        guard let installed = try answers[0].get().first else {
            report(.doubtful("acts", "no action of \(app.name) is installed", remedy: Finding.installThis))
            return
        }
        let isSame = try installed.text("digest") == app.digest
        let date = try installed.text("date")
        report(
            isSame
                ? .well("acts", "\(try installed.text("acts")) of this app file, installed on \(date)")
                : .doubtful(
                    "acts", "another version of this app file is installed, from \(date)",
                    remedy: Finding.installThis))
        let settings = try ReadSettings(try answers[2].get())
        let unknown = Set(settings.names).subtracting(try installed.texts("settings")).sorted()
        if isSame, !unknown.isEmpty {
            report(
                .ill(
                    "acts", "functions read \(unknown.joined(separator: ", ")) which an operator can set",
                    remedy: Finding.installThis))
        }
        if !settings.functions.isEmpty {
            report(
                .doubtful(
                    "acts",
                    "\(settings.functions.joined(separator: ", ")) reads settings whose names it computes; an operator "
                        + "can change them",
                    remedy: "write the names of the settings as constants, and run `usher install` again"))
        }
    }

    /// Checks for secret columns that operators can read, for example by an earlier `roles sql`.
    mutating func checkSecrets(of app: App, _ transaction: ReadTransaction) throws {
        let secrets = (app.account?.secrets ?? []).compactMap { SQLName.parts(ofPath: $0.column) }.filter {
            $0.count == 3
        }
        if secrets.isEmpty { return }
        let answer = try transaction.read([HeldRight.question(ofSecrets: secrets)], isLast: false)[0]
        for held in try HeldRight.all(try answer.get()) {
            report(
                .ill(
                    "operators", held.sentence,
                    remedy: "\(held.remedy); then run the output of `usher roles sql`, which grants no secrets"))
        }
    }

    /// Checks that the app file fits the database.
    mutating func checkFile(of app: App, _ options: InquiryOptions) throws(Failure) {
        let checked = try AppCheck.report(on: app, on: connection, options: options)
        let found = checked.findings
        let error = found.first { $0.severity == .error }
        guard let first = (error ?? found.first)?.diagnostic else {
            let unchecked = checked.unchecked.map { "; \($0.sentence)" } ?? ""
            return report(.well("app file", "every statement works in this database\(unchecked)"))
        }
        let (line, column) = first.file.position(of: first.offset)
        let more = found.count > 1 ? ", and \(found.count - 1) more" : ""
        let message = "\(first.file.name):\(line):\(column): \(first.message)\(more)"
        let remedy = "`usher app check` shows every finding with its line"
        report(
            error == nil
                ? .doubtful("app file", message, remedy: remedy) : .ill("app file", message, remedy: remedy))
    }

    /// Queries the installed version of an app, its date and its number of actions.
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
