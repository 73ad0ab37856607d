import Glibc
import AppFile
import Operations
import PQ

/// What commands share: the connection, made when first needed, and the apps, read once.
package final class Workplace {
    private let environment: (String) -> String?
    private var connection: (database: String?, value: Connection)?
    private var apps: (choice: String?, value: [App])?

    /// A workplace that reads the variables of this process.
    package init() {
        environment = { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    }

    /// The connection to a database; one that died is made anew, and `reopened` says so.
    func connect(_ database: String?, reopened: () -> Void) throws(Failure) -> Connection {
        if let connection, connection.database == database {
            if connection.value.isAlive {
                do throws(PQError) { try connection.value.rollbackIfOpen() } catch { throw Failure(error) }
                return connection.value
            }
            reopened()
        }
        do throws(PQError) {
            let fresh = try Connection(try Conninfo(database))
            connection = (database, fresh)
            return fresh
        } catch {
            throw Failure(error)
        }
    }

    /// Ends a transaction that was left open; what that comes to shows with the next command.
    func settle() { try? connection?.value.rollbackIfOpen() }

    /// The apps that may fit: the one that was named, else all there are.
    func candidates(_ named: String?) throws(Failure) -> [App] {
        let choice = named ?? environment("USHER_APP").flatMap { $0.isEmpty ? nil : $0 }
        if let apps, apps.choice == choice { return apps.value }
        let read: [App]
        if let choice { read = [try AppLibrary.app(choice)] } else { read = try AppLibrary.all() }
        apps = (choice, read)
        return read
    }
}
