import Accounts
import AppFile
import Asking
import Catalog
import Changes
import PQ
import Terminal

/// On a test database whoever may install is asked whether what a command needs is to be installed, and the command goes on.
struct InstallOffer {
    let context: Context

    /// Whether it was accepted and done; nobody is asked in production or staging, nor who may not.
    func make() throws(Failure) -> Bool {
        guard let install = try? opened(), ["test", "development"].contains(install.declared.name) else { return false }
        let file =
            if let choice = context.workplace.choice(context.options.app) { choice } else { try context.app().name }
        context.screen.flush()
        do throws(AskError) {
            let question = "Install what " + SafeText(file) + " lets operators do?"
            guard try Ask.confirm(question, isInterrupted: { Cancellation.interrupt.isRequested }) else { return false }
        } catch {
            if error == .interrupted { throw Failure(.interrupted, "interrupted") }
            return false
        }
        let report = try install.run(reason: nil, isDryRun: false)
        for hindrance in report.app?.hindrances ?? [] { context.remark("Not installed: " + SafeText(hindrance)) }
        context.remark("Installed, as operation " + SafeText(report.operation) + ".")
        return true
    }

    private func opened() throws(Failure) -> Install {
        try Install(
            on: try context.connectionToChange(), app: try context.app(), environment: nil, options: context.inquiry
        ) { () throws(Failure) in try context.connectionOfItsOwn() }
    }
}
