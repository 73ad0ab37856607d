internal import Catalog

/// Rows as JSON from which they can be written back to the byte.
///
/// Values look as `to_jsonb` has them. What would not come back as it was is kept as the text of the value: a JSON
/// string where none is to be expected.
extension TableShape {
    /// One whole row.
    ///
    /// It is called `t`. Secrets are left out, but that they changed shows when both images are made with the same salt,
    /// unless the role may not even read them.
    func image(hiding secrets: Set<String> = [], salt: String? = nil) -> String {
        let shown = columns.filter { !isSecret($0, of: secrets) }
        let hidden = columns.filter { isSecret($0, of: secrets) && $0.isReadable }
        // With the star it is the row, whatever its columns are called; and a whole row may only be read by who may read
        // all of it.
        var image = "to_jsonb(t.*)"
        if shown.count < columns.count {
            image = object(shown, of: "t")
        } else {
            let special = columns.filter { $0.form != .plain }
            if !special.isEmpty { image += " || " + object(special, of: "t") }
        }
        guard !hidden.isEmpty, let salt else { return image }
        let digests = hidden.map { column in
            "\(Self.literal(column.name)), sha256(convert_to(\(Self.literal(salt)) || t.\(column.sql)::text, 'UTF8'))"
        }
        return "(\(image)) || " + Self.objects(digests)
    }

    /// An object of some columns of a row.
    func object(_ columns: [Column], of alias: String) -> String {
        Self.objects(columns.map { "\(Self.literal($0.name)), \($0.image(of: alias))" })
    }

    /// Names of the columns that must not be recorded.
    func hidden(_ secrets: Set<String>) -> [String] { columns.filter { isSecret($0, of: secrets) }.map(\.name) }

    private func isSecret(_ column: Column, of secrets: Set<String>) -> Bool {
        secrets.contains("\(qualifiedName).\(column.name)")
    }

    /// An object of pairs; no function takes more than a hundred arguments.
    private static func objects(_ pairs: [String]) -> String {
        if pairs.isEmpty { return "'{}'::jsonb" }
        return stride(from: 0, to: pairs.count, by: 50).map { start in
            "jsonb_build_object(\(pairs[start..<min(start + 50, pairs.count)].joined(separator: ", ")))"
        }.joined(separator: " || ")
    }

    /// A text as SQL, whatever the server's settings.
    static func literal(_ text: String) -> String {
        var literal = "E'"
        for scalar in text.unicodeScalars {
            literal.unicodeScalars.append(scalar)
            if scalar == "'" || scalar == "\\" { literal.unicodeScalars.append(scalar) }
        }
        return literal + "'"
    }
}

extension TableShape.Column {
    /// The value in a row as JSON.
    func image(of alias: String) -> String {
        let value = "\(alias).\(sql)"
        let text = "to_jsonb(\(value)::text)"
        return switch form {
        case .plain: value
        case .json, .text: text
        case .float: "case when \(value)::text = '-0' then \(text) else to_jsonb(\(value)) end"
        case .array: "case when \(value)::text ~ '^\\[|-0[,}]' then \(text) else to_jsonb(\(value)) end"
        case .jsonb: "case when jsonb_typeof(\(value)) in ('object', 'array') then \(value)::jsonb else \(text) end"
        }
    }

    /// The value out of an image `image`, beside the row that Postgres itself reads from it.
    func value(from image: String, populated row: String) -> String {
        let value = "(\(image) -> \(TableShape.literal(name)))"
        return switch form {
        case .json: "(\(value) #>> '{}')::\(type)"
        case .jsonb:
            "case when jsonb_typeof\(value) = 'string' then (\(value) #>> '{}')::\(type) else \(row).\(sql) end"
        default: "\(row).\(sql)"
        }
    }
}
