internal import Ledger
internal import PQ

extension WrittenRows {
    /// What was found in one table.
    package struct Found: Sendable, Hashable {
        package let table: String
        package internal(set) var rows: Int
        /// Whether they were taken away again, as the operator wanted; else they are kept, with the reason.
        package let isRemoved: Bool
        package let why: Why?
        /// Whether they were there before, and triggers changed them.
        package var isChanged = false
        /// Whether nothing of the person was found in them, or somebody said that they stay.
        package let isAccepted: Bool

        /// What earlier runs took down.
        static func all(_ rows: Rows) throws(DecodingFailure) -> [Found] {
            var found: [Found] = []
            for row in rows.rows {
                found.append(
                    Found(
                        table: try row.text("table"), rows: try row.integer("rows"),
                        isRemoved: try row.boolean("removed"), why: try Why(row),
                        isChanged: try row.boolean("changed"), isAccepted: try row.boolean("accepted")))
            }
            return found
        }

        /// What is taken down of it: it names nobody.
        var payload: [(String, JSONPayload.Item?)] {
            [
                ("table", .text(table)), ("rows", .number(rows)), ("removed", .flag(isRemoved)),
                ("accepted", .flag(isAccepted)), ("changed", .flag(isChanged)),
            ] + (why?.payload ?? [])
        }

        /// The same as the operator answers for it now.
        func answered(by answers: AccountAnswers) -> Found {
            guard !isAccepted, answers[table] == .keep else { return self }
            return Found(
                table: table, rows: rows, isRemoved: false, why: .onRequest, isChanged: isChanged, isAccepted: true)
        }

        /// Whether the same became of other rows of the same table.
        func isLike(_ other: Found) -> Bool {
            (table, isRemoved, why, isChanged) == (other.table, other.isRemoved, other.why, other.isChanged)
        }
    }

    /// Why rows that triggers wrote stay.
    package enum Why: Sendable, Hashable {
        /// In the words of the app file.
        case declared(String)
        case onRequest
        /// The person, or the key of a row that went, is in them.
        case holdsPerson
        /// This role may not look whether they are about the person.
        case unseen
        /// A trigger may have changed them, and this role may not read all that they say.
        case unreadable
        /// The same, and nobody could be asked what they were.
        case noWitness(String)
        /// A trigger changed what they say, which may be a copy of what went.
        case copied
        /// A line takes new ones away, and without a key nobody can tell those from the ones that triggers changed.
        case untold
        /// The person is in columns of them that lines let speak of people, and nowhere else.
        case mentions
        /// Neither the person's id nor an address was found in them.
        case nothingFound
        /// Nor a uuid key of a row that went.
        case nothingFoundByKey
        /// No address was found in them, nor the id where a name says whose it is; elsewhere it may be anything.
        case nothingTold

        /// What stands for it in the ledger.
        private var name: String {
            switch self {
            case .declared: "declared"
            case .onRequest: "on_request"
            case .holdsPerson: "holds_person"
            case .unseen: "unseen"
            case .unreadable: "unreadable"
            case .noWitness: "no_witness"
            case .copied: "copied"
            case .untold: "untold"
            case .mentions: "mentions"
            case .nothingFound: "nothing_found"
            case .nothingFoundByKey: "nothing_found_by_key"
            case .nothingTold: "nothing_told"
            }
        }

        /// What an earlier run took down; what only words stand for was said in those.
        init?(_ row: Row) throws(DecodingFailure) {
            let words = try row.optionalText("why")
            guard let name = try row.optionalText("because") else {
                guard let words else { return nil }
                self = .declared(words)
                return
            }
            let known: [Why] = [
                .declared(words ?? ""), .onRequest, .holdsPerson, .unseen, .unreadable, .noWitness(words ?? ""),
                .copied, .untold, .mentions, .nothingFound, .nothingFoundByKey, .nothingTold,
            ]
            guard let why = known.first(where: { $0.name == name }) else { throw .notA("reason", column: "because") }
            self = why
        }

        var payload: [(String, JSONPayload.Item?)] {
            switch self {
            case .declared(let words), .noWitness(let words): [("because", .text(name)), ("why", .text(words))]
            default: [("because", .text(name))]
            }
        }
    }
}
