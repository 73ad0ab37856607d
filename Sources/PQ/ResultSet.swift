internal import CPQ

/// The owner of one `PGresult`; values are copied before it is cleared.
@safe
struct ResultSet: ~Copyable {
    private let result: OpaquePointer

    @unsafe init(adopting result: OpaquePointer) { unsafe self.result = unsafe result }

    deinit { unsafe PQclear(result) }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    /// True for a COPY, for which libpq would return the same result again and again.
    var isCopy: Bool { [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) }

    /// True for an error after which the server closes the connection.
    var endsConnection: Bool {
        guard status == PGRES_FATAL_ERROR, let severity = unsafe diagnostic(.severity, of: result) else { return false }
        return severity == "FATAL" || severity == "PANIC"
    }

    var error: ServerError {
        let message =
            unsafe (diagnostic(.message, of: result) ?? String(cString: PQresultErrorMessage(result)).trimmed)
        return unsafe ServerError(
            state: SQLState(rawValue: diagnostic(.state, of: result) ?? ""),
            message: message,
            detail: diagnostic(.detail, of: result),
            hint: diagnostic(.hint, of: result),
            position: diagnostic(.position, of: result).flatMap { Int($0) },
            context: diagnostic(.context, of: result),
            table: diagnostic(.table, of: result).map { "\(unsafe diagnostic(.schema, of: result) ?? "").\($0)" },
            isInside: diagnostic(.innerStatement, of: result) != nil
        )
    }

    var columns: [Column] {
        (unsafe 0..<PQnfields(result)).map { index in
            unsafe Column(
                name: String(cString: PQfname(result, index)),
                type: TypeID(rawValue: PQftype(result, index))
            )
        }
    }

    /// The parameters and columns of a statement.
    var description: Description {
        let columns = (unsafe 0..<PQnfields(result)).map { index in
            let (table, column) = unsafe (PQftable(result, index), PQftablecol(result, index))
            return unsafe DescribedColumn(
                name: String(cString: PQfname(result, index)), type: TypeID(rawValue: PQftype(result, index)),
                origin: table == 0 ? nil : .init(table: table, column: Int(column)))
        }
        let parameters = (unsafe 0..<PQnparams(result)).map { unsafe TypeID(rawValue: PQparamtype(result, $0)) }
        return Description(parameters: parameters, columns: columns)
    }

    var rows: Rows {
        let columns = columns
        let rows = (unsafe 0..<PQntuples(result)).map { row in
            Row(columns: columns, values: columns.indices.map { value(row: row, column: $0, type: columns[$0].type) })
        }
        return Rows(columns: columns, rows: rows, affected: affected)
    }

    /// The row count in the command tag; nil if the tag has no count.
    private var affected: Int? { Int(unsafe String(cString: PQcmdTuples(result))) }

    func value(row: Int32, column: Int, type: TypeID) -> Value {
        let text = unsafe cell(row: row, column: Int32(column)).map { unsafe String(decoding: $0, as: UTF8.self) }
        return Value(text, type: type)
    }

    /// The bytes of one cell in libpq's memory, nil for NULL; valid as long as this result.
    @unsafe func cell(row: Int32, column: Int32) -> UnsafeRawBufferPointer? {
        let count = unsafe Int(PQgetlength(result, row, column))
        // A value with a length isn't NULL, so most values need only one call.
        if count == 0, unsafe PQgetisnull(result, row, column) != 0 { return nil }
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)
    }
}

/// The fields of an error or notice that usher reads.
///
/// Swift can't import libpq's macros for these fields, such as `PG_DIAG_SEVERITY`.
enum DiagnosticField: UInt8 {
    case severity = 0x56  // 'V', the severity that is not translated
    case state = 0x43  // 'C'
    case message = 0x4D  // 'M'
    case detail = 0x44  // 'D'
    case hint = 0x48  // 'H'
    case position = 0x50  // 'P'
    case context = 0x57  // 'W'
    case innerStatement = 0x71  // 'q'
    case schema = 0x73  // 's'
    case table = 0x74  // 't'
}

@unsafe func diagnostic(_ field: DiagnosticField, of result: OpaquePointer) -> String? {
    unsafe PQresultErrorField(result, Int32(field.rawValue)).map { unsafe String(cString: $0) }
}
