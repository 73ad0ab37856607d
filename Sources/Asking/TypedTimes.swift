internal import AppFile
internal import Catalog
package import PQ

/// The operator's time zone, in the form that Postgres accepts for `TimeZone`.
package enum OperatorZone: Sendable {
    case named(String)
    /// A value of the variable `TZ` that is not a time zone.
    case mistaken(String)
}

/// Converts typed times: Postgres parses them in the operator's time zone.
package struct TypedTimes {
    let zone: OperatorZone
    /// The transaction that uses the times: `yesterday` is the day before its start.
    let transaction: ReadTransaction

    package init(_ transaction: ReadTransaction, _ options: InquiryOptions) {
        zone = options.zone
        self.transaction = transaction
    }

    /// A typed text with its type, and the name of its option or argument.
    private typealias Typed = (name: String, text: String, type: TypeID)

    /// The types whose input depends on the time zone: dates, times, and arrays and ranges of them.
    ///
    /// Each array or range type has its own oid. A `timestamp` contains UTC, and Postgres ignores a time zone in its
    /// text.
    private static let types: [TypeID: String] = {
        let names: [UInt32: String] = [
            1082: "date", 1182: "date[]", 3912: "daterange", 3913: "daterange[]", 4535: "datemultirange",
            6155: "datemultirange[]", 1114: "timestamptz", 1115: "timestamptz[]", 3908: "tstzrange",
            3909: "tstzrange[]", 4533: "tstzmultirange", 6152: "tstzmultirange[]", 1184: "timestamptz",
            1185: "timestamptz[]", 3910: "tstzrange", 3911: "tstzrange[]", 4534: "tstzmultirange",
            6153: "tstzmultirange[]",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { (TypeID(rawValue: $0.key), $0.value) })
    }()

    /// Parses typed texts on the server, and rewrites each time so that it means the same in any time zone.
    ///
    /// An error of the server is a result, too.
    package func read(
        _ typed: [(name: String, text: TypedText)]
    ) throws(Failure) -> [Result<String, ServerError>] {
        let readings = try transaction.readings(of: typed.map(\.text))
        var texts = zip(typed, readings).map { typed, reading in reading.map { _ in typed.text.text } }
        let times = readings.indices.compactMap { index -> (index: Int, typed: Typed)? in
            guard case .success(let type?) = readings[index], Self.types[type] != nil else { return nil }
            return (index, (typed[index].name, typed[index].text.text, type))
        }
        for (time, value) in zip(times, try values(of: times.map(\.typed))) { texts[time.index] = .success(value) }
        return texts
    }

    /// The typed times in UTC.
    private func values(of typed: [Typed]) throws(Failure) -> [String] {
        if typed.isEmpty { return [] }
        let zone = try requireZone(for: typed[0])
        let queries = typed.map { typed -> Query in
            let type = Self.types[typed.type] ?? "text"
            let value = typed.type == .timestamp ? "(utc.value at time zone 'UTC')" : "utc.value"
            return Query(
                unsafe: """
                    with
                    typed as materialized (select (left(set_config('TimeZone', $2, true), 0) || $1)::\(type) as value),
                    utc as materialized (select value, set_config('TimeZone', 'UTC', true) from typed)
                    select \(value)::text as text from utc
                    """, [typed.text, zone])
        }
        let results = try failing(try transaction.read(queries, isLast: false))
        return try zip(typed, results).map { typed, result throws(Failure) in
            switch result {
            case .failure(let error): throw Self.failure(error, typed)
            case .success(let rows): try failing(try rows.only().text("text"))
            }
        }
    }

    /// The instant that an operator typed: a time, a time of today such as `04:00`, or an interval such as `7 days
    /// ago`.
    ///
    /// If `countsBack` is true, `7 days` means `7 days ago`.
    package func instant(_ text: String, named name: String, countsBack: Bool = false) throws(Failure) -> String {
        let typed: Typed = (name, text, .timestamptz)
        let readings = try transaction.readings(
            of: [TypedText(text, .timestamptz), TypedText(text, .interval), TypedText(text, "time")])
        if case (.failure(let error), .success) = (readings[0], readings[2]), error.isMisfit {
            return try values(of: [(name, "today \(text)", .timestamptz)])[0]
        }
        switch (readings[0], readings[1]) {
        case (.failure(let error), .success) where error.isMisfit:
            let query: Query = """
                select (case when \(countsBack ? "yes" : "no")::boolean and i.distance > interval '0'
                             then transaction_timestamp() - i.distance else transaction_timestamp() + i.distance end)::text as instant
                  from (select \(text)::interval) as i (distance)
                """
            let rows = try transaction.ask([query])[0]
            return try failing(try rows.only().text("instant"))
        case (.failure(let error), _): throw Self.failure(error, typed)
        case (.success, _): return try values(of: [typed])[0]
        }
    }

    private func requireZone(for typed: Typed) throws(Failure) -> String {
        switch zone {
        case .named(let name): return name
        case .mistaken(let mistaken):
            throw Failure(
                .usage, "\(typed.name): usher can't read \(typed.text), because TZ=\(mistaken) is not a time zone",
                hint: "set TZ to a time zone such as Europe/Berlin")
        }
    }

    private static func failure(_ error: ServerError, _ typed: Typed) -> Failure {
        guard error.isMisfit else { return Failure(error) }
        return Failure(
            .usage, "\(typed.name) \(quoteWord(typed.text)) is not a time",
            hint: "write a time such as 2026-12-01T09:00:00Z, or a relative time such as `7 days ago`",
            state: error.state, details: [error.message])
    }
}
