internal import Catalog
package import PQ

/// A typed text with the SQL name or the oid of its expected type.
package struct TypedText {
    package let text: String
    let type: String

    package init(_ text: String, _ type: String) {
        self.text = text
        self.type = type
    }

    package init(_ text: String, _ type: TypeID) { self.init(text, String(type.rawValue)) }
}

extension ReadTransaction {
    /// Parses typed texts on the server.
    ///
    /// Returns the base type of each text's type; nil if usher accepted the text without the server. An error of the
    /// server is a result, too.
    package func readings(of typed: [TypedText]) throws(Failure) -> [Result<TypeID?, ServerError>] {
        let asked = typed.filter { KeyText.fits($0.text, $0.type) != true }
        if asked.isEmpty { return typed.map { _ in .success(nil) } }
        var answers = try answers(to: asked).makeIterator()
        return typed.map { KeyText.fits($0.text, $0.type) == true ? .success(nil) : answers.next() ?? .success(nil) }
    }

    /// True if the type accepts a text.
    package func accepts(_ text: String, as type: String) throws(Failure) -> Bool {
        if let fits = KeyText.fits(text, type) { return fits }
        guard case .failure(let error) = try readings(of: [TypedText(text, type)])[0] else { return true }
        if !error.isMisfit { throw Failure(error) }
        return false
    }

    private func answers(to typed: [TypedText]) throws(Failure) -> [Result<TypeID?, ServerError>] {
        let known = try ask([Query(file: "catalog/typed_types.sql", [arrayLiteral(typed.map(\.type))])])[0]
        let types = try failing(try known.texts())
        let queries = zip(typed, types).map { Query(unsafe: "select $1::\($1)", [$0.text]) }
        let results = try failing(try read(queries, isLast: false))
        return results.map { result in result.map { $0.columns.first?.type } }
    }
}

extension ServerError {
    /// True if the server rejected the value because the value doesn't fit its type or domain.
    package var isMisfit: Bool { ["22", "23"].contains(state.category) }
}
