internal import Glibc

/// What speaks for a reading or against it.
package struct Evidence: Sendable, Hashable {
    package let fact: Fact
    package let points: Int

    /// As many points ask an engineer what becomes of a column.
    ///
    /// One less looks into it when an account goes: that a key which goes stands there is worth the last one.
    static let asking = 3
    static let speaking = asking - 1

    package init(_ fact: Fact, points: Int) { (self.fact, self.points) = (fact, points) }

    package enum Fact: Sendable, Hashable {
        /// What the column is called.
        case name(Name)
        case calledAddress
        /// So many addresses, or keys, of users stand in a sample of it.
        case addresses(Int)
        case keys(Int)
        /// So many of the values that were looked up stand in the parent.
        case hits(Int, of: Int)
        /// All of them do, as nearly any number would.
        case chance(Int)
        case misses(Int, of: Int)
        /// The same of all columns of its name.
        case together(Int, of: Int, columns: Int)
        /// The values stand in another column.
        case elsewhere(String)
        /// None of the values could be a key of the parent.
        case noKeys
        /// It is a text where the keys are numbers.
        case textForNumbers
        /// Words in the column beside it mean the parent.
        case typed(column: String, words: [String])
        /// Words in the column beside it mean no table, of which some rows may be all.
        case untyped(column: String, words: [String])
        case unknownWords([String])
        /// No two rows refer to the same one, which the rows of some other tables refer to.
        case owned(claims: [String])
        /// What it refers to holds what is known of people.
        case personal
        /// Functions of triggers add rows while an account goes, or change some and add none.
        case written(by: [String], adds: Bool)
        /// So many rows that would go with users of a sample are other users' too.
        case shared(Int)
        /// Functions of triggers fill it from these columns, all of which refer to one thing or do not.
        case filled(by: [String], from: [String], isOfOne: Bool)
        /// A function of triggers on tables puts its statements together as it runs.
        case unread(on: [String])
    }

    /// What the name of a column has to do with a table, as `sql/catalog/evidence.sql` finds it.
    package enum Name: String, Sendable, CaseIterable {
        case table
        case tableEnd = "table_end"
        case tablePart = "table_part"
        case tableStem = "table_stem"
        case people
        case ownTable = "own_table"
        case namesakes
        case namesakesEnd = "namesakes_end"
        case quantity
        case several
        case half
    }

    /// Whether the column is called like the table and nothing else, be it one of what the table is called several of.
    var isPlainName: Bool { fact == .name(.table) || fact == .name(.tableStem) }

    /// Whether it is so of nearly any column of numbers, whatever they mean.
    var isChance: Bool {
        if case .chance = fact { true } else { false }
    }

    /// Whether some rows may refer to something else, and nobody can tell which.
    var isOpaque: Bool {
        switch fact {
        case .untyped: true
        case .filled(_, _, let isOfOne): !isOfOne
        default: false
        }
    }
}

extension Evidence {
    /// What values say for a parent, and against it.
    struct Standing {
        let hits: Int
        let values: Int
        /// How surprising it is that so many stand there.
        let bits: Double

        /// Rows that are counted stand together or not at all: that all of them do is no more surprising than that one does.
        init(hits: Int, of values: Int, density: Double, isCounted: Bool = false) {
            (self.hits, self.values) = (hits, values)
            let (share, chance) = (Double(hits) / Double(max(1, values)), density)
            guard values > 0, share > chance else {
                bits = 0
                return
            }
            let rest = share < 1 ? (1 - share) * log2((1 - share) / (1 - chance)) : 0
            bits = Double(isCounted ? 1 : values) * (share * log2(share / chance) + rest)
        }

        /// Those of two columns of one name.
        init(_ all: [Evidence.Standing]) {
            hits = all.reduce(0) { $0 + $1.hits }
            values = all.reduce(0) { $0 + $1.values }
            bits = all.reduce(0) { $0 + $1.bits }
        }

        static let telling = 20.0
        static let speaking = 7.0

        func evidence(isCalledSo: Bool) -> [Evidence] {
            guard values > 0 else { return [] }
            var found: [Evidence] = []
            if 5 * hits < values {
                // A few may stand anywhere.
            } else if bits >= Self.telling {
                found.append(Evidence(.hits(hits, of: values), points: 4))
            } else if bits >= Self.speaking {
                found.append(Evidence(.hits(hits, of: values), points: 2))
            } else if hits == values {
                found.append(Evidence(.chance(values), points: 1))
            }
            if 2 * hits < values {
                // What was deleted before left its references behind.
                found.append(Evidence(.misses(values - hits, of: values), points: isCalledSo ? 0 : -1))
            }
            return found
        }
    }
}
