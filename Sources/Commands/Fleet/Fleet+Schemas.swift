import AppFile
import Asking
import PQ
import Synchronization
import Terminal

/// Schemas of customers in each of several databases: `eu1/acme` is the schema `acme` of `eu1`.
extension Fleet {
    private final class Shared: Sendable {
        let answers = Mutex<[Int: Result<Fleet, Failure>]>([:])
    }

    /// The schemas that an app file is about, of all databases, asked side by side; a database that does not tell stands for
    /// its own, with the reason.
    static func of(
        schemasOf template: App, in databases: Fleet, _ options: GlobalOptions, _ screen: any Screen
    ) throws(Failure) -> Fleet {
        let shared = Shared()
        let members = databases.members
        let crew = try Crew(pieces: members.count) { index, workplace in
            var options = options.at(members[index])
            options.noInput = true
            let place = options
            let result: Result<Fleet, Failure>
            do throws(Failure) {
                result = .success(try workplace.tenants(of: template, place, screen))
            } catch {
                result = .failure(error)
            }
            shared.answers.withLock { $0[index] = result }
        }
        crew.wait()
        if Cancellation.interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; nobody knows yet which schemas there are")
        }
        let answers = shared.answers.withLock { $0 }
        var (all, failures): ([Member], [Member: Failure]) = ([], [:])
        for (index, member) in members.enumerated() {
            switch answers[index] {
            case .success(let schemas)?:
                all += schemas.members.map { schema in
                    Member(
                        name: "\(member.name)/\(schema.name)", database: member.database, labels: member.labels,
                        schema: schema.schema)
                }
            case .failure(let failure)?:
                all.append(member)
                failures[member] = failure
            case nil: continue
            }
        }
        return Fleet(members: all, isOfSchemas: true, failures: failures)
    }

    /// The schema of a name; who names one of the databases means all the schemas that it has.
    func narrowed(to name: String?, of databases: Fleet) throws(Failure) -> Fleet {
        let isOfDatabase = databases.members.contains { $0.name == name }
        return try narrowed(to: [], named: isOfDatabase ? nil : name)
    }
}

extension GlobalOptions {
    /// The database of a fleet whose schema is meant: of `eu1/acme` it is `eu1`, and of a name of its own that one.
    func databaseOfMember(in fleet: Fleet) -> String? {
        guard let member else { return nil }
        if let slash = member.firstIndex(of: "/") { return String(member[..<slash]) }
        return fleet.members.contains { $0.name == member } ? member : nil
    }

    /// The schema that is meant there.
    var schemaOfMember: String? { member.map { $0.split(separator: "/").last.map(String.init) ?? $0 } }
}
