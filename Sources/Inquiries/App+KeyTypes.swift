package import AppFile
internal import Catalog
package import PQ

extension App {
    /// The key types of users and objects, from the columns of their SELECT statements.
    package func keyTypes(
        _ described: [Result<Description, ServerError>], asking ask: (Query) throws(PQError) -> Rows
    ) throws(PQError) -> KeyTypes {
        let keys = zip(probes.directory, described).map { probe, answer in
            (try? answer.get())?.columns.first { $0.name == probe.columns.first?.name }?.type.rawValue
        }
        let names = try TypeNames.of(keys.compactMap { $0 }, asking: ask)
        let subjects = [Subject.users] + objects.map { .object($0.noun) }
        let named = zip(subjects, keys).compactMap { subject, key in key.flatMap { names[$0] }.map { (subject, $0) } }
        return Dictionary(named) { first, _ in first }
    }
}
