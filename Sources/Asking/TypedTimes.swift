internal import AppFile
internal import Catalog
import Glibc
package import PQ

/// Times as people type them: Postgres reads the words, and what names no zone is in the operator's.
package struct TypedTimes {
    let zone: OperatorZone
    /// The transaction that the times are for, so that `yesterday` is the day before its own.
    let transaction: ReadTransaction

    package init(_ transaction: ReadTransaction, _ options: InquiryOptions) {
        zone = options.zone
        self.transaction = transaction
    }

    /// A value that somebody typed, what it was typed for, and the type that it is of.
    package struct Typed {
        package let name: String
        let text: String
        let type: TypeID

        package init(name: String, text: String, type: TypeID) {
            self.name = name
            self.text = text
            self.type = type
        }

        /// Whether what it means depends on a zone: a time, or a list or a range of such.
        package var isTime: Bool { type.times != nil }

        /// The times in it, each as if it had been typed alone.
        fileprivate var parts: [Typed] {
            guard let times = type.times else { return [self] }
            return times.times(in: text).map { Typed(name: name, text: $0, type: times.time) }
        }
    }

    /// The same values so that they mean the same wherever clocks are set.
    package func values(of typed: [Typed]) throws(Failure) -> [String] {
        let parts = typed.map(\.parts)
        var settled = try single(parts.flatMap(\.self)).makeIterator()
        let values = typed.map { typed in
            typed.type.times?.replaced(in: typed.text) { settled.next() ?? $0 } ?? typed.text
        }
        // A range may end before it begins only in the zone that it was typed in.
        let held = values.indices.filter { typed[$0].type.times?.time != typed[$0].type }
        let readings = try transaction.readings(of: held.map { TypedText(values[$0], typed[$0].type) })
        for (index, reading) in zip(held, readings) {
            if case .failure(let error) = reading { throw Self.failure(error, typed[index]) }
        }
        return values
    }

    private func single(_ typed: [Typed]) throws(Failure) -> [String] {
        if typed.isEmpty { return [] }
        var values = try answers(typed, typed.map(question)) { typed, row throws(DecodingFailure) in
            try Reading(row, of: typed.type)
        }
        let clocks = values.indices.filter { if case .clock = values[$0] { true } else { false } }
        if clocks.isEmpty { return values.compactMap(\.text) }
        try requireZone(for: typed[clocks[0]])
        for index in clocks { try requireShown(values[index], typed[index]) }
        let queries = clocks.map { settling(values[$0]) }
        let settled = try answers(clocks.map { typed[$0] }, queries) { typed, row throws(DecodingFailure) in
            Reading.settled(try row.text(typed.type == .timestamp ? "utc" : "instant"))
        }
        for (index, reading) in zip(clocks, settled) { values[index] = reading }
        return values.compactMap(\.text)
    }

    /// The instant that somebody typed.
    package func instant(_ text: String, named name: String) throws(Failure) -> String {
        let typed = Typed(name: name, text: text, type: .timestamptz)
        if case .failure(let error) = try transaction.readings(of: [TypedText(text, .timestamptz)])[0] {
            if error.isMisfit, let instant = try distant(text) { return instant }
            throw Self.failure(error, typed)
        }
        return try values(of: [typed])[0]
    }

    /// The instant as far from now as a text says, `7 days ago`; nil for what is no such distance.
    private func distant(_ text: String) throws(Failure) -> String? {
        guard case .success = try transaction.readings(of: [TypedText(text, .interval)])[0] else { return nil }
        let query: Query = "select (transaction_timestamp() + \(text)::interval)::text as instant"
        let rows = try transaction.ask([query])[0]
        return try decoding(try rows.only().text("instant"))
    }

    /// What Postgres makes of a text.
    private enum Reading {
        case settled(String)
        /// A time that clocks show, and the same as a second since 1970.
        case clock(String, second: Int64)

        init(_ row: Row, of type: TypeID) throws(DecodingFailure) {
            if type == .date {
                self = .settled(try row.text("day"))
            } else if try row.boolean("is_clock") {
                self = .clock(try row.text("clock"), second: Int64(try row.integer("second")))
            } else {
                self = .settled(try row.text(type == .timestamp ? "utc" : "instant"))
            }
        }

        var text: String? { if case .settled(let text) = self { text } else { nil } }
    }

    private func question(about typed: Typed) -> Query {
        let here = zone.offset(at: Int64(time(nil)))
        if typed.type == .date {
            return Query(file: "catalog/typed_date.sql", [typed.text, Self.setting(here)])
        }
        return Query(
            file: "catalog/typed_time.sql", [typed.text, Self.setting(here), Self.setting(here + 3600)])
    }

    private func settling(_ reading: Reading) -> Query {
        guard case .clock(let clock, let second) = reading else { return "select" }
        return Query(file: "catalog/typed_clock.sql", [clock, String(zone.offset(ofClock: second))])
    }

    /// Clocks that are ahead of UTC by some seconds as Postgres has them set, with the sign of POSIX.
    private static func setting(_ offset: Int64) -> String {
        let size = abs(offset)
        let clock = [size / 3600, size / 60 % 60, size % 60].map { String($0) }.joined(separator: ":")
        return "<here>\(offset > 0 ? "-" : "+")\(clock)"
    }

    /// Where clocks are set forward they skip an hour, and whoever typed a time in it meant another one.
    ///
    /// A day begins all the same where that is its first hour.
    private func requireShown(_ reading: Reading, _ typed: Typed) throws(Failure) {
        guard case .clock(_, let second) = reading, second % 86_400 != 0 else { return }
        let offset = zone.offset(ofClock: second)
        let skipped = zone.offset(at: second - offset) - offset
        if skipped == 0 { return }
        throw Failure(AskingRefusal.skippedTime(name: typed.name, text: typed.text, seconds: Int(abs(skipped))))
    }

    private func requireZone(for typed: Typed) throws(Failure) {
        guard let mistaken = zone.mistaken else { return }
        throw Failure(AskingRefusal.needsZone(name: typed.name, text: typed.text, mistaken: mistaken))
    }

    private func answers(
        _ typed: [Typed], _ queries: [Query], _ decode: (Typed, Row) throws(DecodingFailure) -> Reading
    ) throws(Failure) -> [Reading] {
        var readings: [Reading] = []
        let results = try failing { () throws(PQError) in try transaction.read(queries, isLast: false) }
        for (typed, result) in zip(typed, results) {
            switch result {
            case .failure(let error): throw Self.failure(error, typed)
            case .success(let rows):
                readings.append(try decoding(try decode(typed, try rows.only())))
            }
        }
        return readings
    }

    private static func failure(_ error: ServerError, _ typed: Typed) -> Failure {
        error.isMisfit ? Failure(AskingRefusal.noTime(name: typed.name, error)) : Failure(error)
    }
}
