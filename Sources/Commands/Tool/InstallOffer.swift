import Accounts
import AppFile
import Asking
import Catalog
import Changes
import PQ
import Terminal

/// Offers to install the schema `usher` on a test database, if the operator can do that.
struct InstallOffer {
    let context: Context

    /// True if the operator accepted and the installation succeeded; production and staging get no offer.
    func make() throws(Failure) -> Bool {
        guard let install = try? opened(), ["test", "development"].contains(install.declared.name) else { return false }
        let file =
            if let choice = context.workplace.choice(context.options.app) { choice } else { try context.app().name }
        context.screen.flush()
        guard try Confirmation.accepts("Install the actions of " + SafeText(file) + "?", context.options) else {
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
