package import AppFile
package import PQ

extension App {
    /// The key types of users and objects, from the columns of their SELECT statements.
    ///
    /// `names` returns the type names for oids.
    package func keyTypes(
        _ described: [Result<Description, ServerError>], names: ([UInt32]) throws(PQError) -> [UInt32: String]
    ) throws(PQError) -> KeyTypes {
        let keys = zip(probes.directory, described).map { probe, answer in
            (try? answer.get())?.columns.first { $0.name == probe.columns.first?.name }?.type.rawValue
        }
        let names = try names(keys.compactMap { $0 })
        func name(_ index: Int) -> String? { keys[index].flatMap { names[$0] } }
        let types = objects.enumerated().compactMap { index, object in name(index + 1).map { (object.noun, $0) } }
        return KeyTypes(users: name(0), objects: Dictionary(types) { first, _ in first })
    }
}
