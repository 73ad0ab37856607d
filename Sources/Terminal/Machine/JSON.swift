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

    /// The members of an object, in order.
    package typealias Members = [(String, any JSONConvertible)]

    package init(_ members: Members) { self = .object(members.map { Member($0, $1.json) }) }

    package init(_ value: some JSONConvertible) { self = value.json }

    /// Makes an object of the members that have a value.
    package static func present(_ members: Members) -> JSON { JSON(given(members)) }

    /// The members that have a value.
    package static func given(_ members: Members) -> Members { members.filter { $0.1.json != .null } }

    /// An object of texts.
    package static func texts(_ members: [(String, String?)]) -> JSON { JSON(members.map { ($0, $1) }) }

    /// An array of objects, one for each item.
    package static func list<Item>(_ items: [Item], _ members: (Item) -> Members) -> JSON {
        .array(items.map { JSON(members($0)) })
    }

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .number(let text): writer.number(text)
        case .string(let text): writer.string(text)
        case .raw(let text): writer.raw(text.utf8.span)
        case .array(let values):
            writer.beginArray()
            for value in values {
                value.write(into: &writer)
            }
            writer.end()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                member.value.write(into: &writer)
            }
            writer.end()
        }
    }

    /// The JSON text of the value, without a newline at its end.
    package func text(pretty: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty)
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A value with a JSON form; an optional without a value is null.
package protocol JSONConvertible {
    var json: JSON { get }
}

extension JSON: JSONConvertible {
    package var json: JSON { self }
}

extension String: JSONConvertible {
    package var json: JSON { .string(self) }
}

extension Bool: JSONConvertible {
    package var json: JSON { .bool(self) }
}

extension Int: JSONConvertible {
    package var json: JSON { .number(String(self)) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    package var json: JSON { map(\.json) ?? .null }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package var json: JSON { .array(map(\.json)) }
}

extension SafeText {
    /// Creates a text of one line from JSON, in which hidden characters are escaped.
    package init(json: JSON) {
        self.init(trusted: json.text())
    }
}
