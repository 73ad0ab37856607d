/// A JSON value; objects keep the order of their fields.
package enum JSON: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSON

        package init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The text of a number; it is written as a JSON string if JSON readers would round it.
    case number(String)
    case string(String)
    /// JSON text from Postgres.
    case raw(String)
    case array([JSON])
    case object([Member])

    package init(_ pairs: [(String, JSON)]) {
        self = .object(pairs.map { Member($0, $1) })
    }

    /// Creates a string, or null from nil.
    package init(_ text: String?) {
        self = text.map { .string($0) } ?? .null
    }

    /// Creates a boolean, or null from nil.
    package init(_ flag: Bool?) {
        self = flag.map { .bool($0) } ?? .null
    }

    package init(_ number: some BinaryInteger) {
        self = .number(String(number))
    }

    /// Makes an object of all members, with null for members without a value.
    package static func members(_ members: [(String, JSON?)]) -> JSON {
        .object(members.map { Member($0, $1 ?? .null) })
    }

    package static func present(_ members: [(String, JSON?)]) -> JSON { .members(members.filter { $0.1 != nil }) }

    package static func texts(_ members: [(String, String?)]) -> JSON { JSON(members.map { ($0, JSON($1)) }) }

    package static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    /// An array of objects, one for each item.
    package static func list<Item>(_ items: [Item], _ members: (Item) -> [(String, JSON)]) -> JSON {
        .array(items.map { JSON(members($0)) })
    }

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .number(let text): writer.number(text)
        case .string(let text): writer.string(text)
        case .raw(let text): writer.raw(text)
        case .array(let values):
            writer.beginArray()
            for value in values {
                value.write(into: &writer)
            }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }

    /// The JSON text of the value, without a newline at its end.
    package func text(pretty: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty)
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension SafeText {
    /// Creates a text of one line from JSON, in which hidden characters are escaped.
    package init(json: JSON) {
        self.init(trusted: json.text())
    }
}
