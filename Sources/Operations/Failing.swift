internal import PQ

/// Turns an error of the wire into a failure.
func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

/// Turns a result of another shape than expected into a failure.
func decoding<Value>(_ value: @autoclosure () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try value() } catch { throw Failure(.decoding(error)) }
}

/// The same for several readings.
func decoding<Value>(_ body: () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try body() } catch { throw Failure(.decoding(error)) }
}
