package import Acts
internal import Asking
import PQ

extension ActRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .keepsChanging: Words("the data keeps changing while this runs", hint: Self.again)
        case .wasLocked: Words("another session was changing it")
        case .isLocked: Words("another session is changing one of these rows", hint: Self.again)
        case .isHeldLong: Words("another session has locked some of these rows for a while", hint: Self.again)
        case .notCommitted(let operation, let silence):
            Words(
                "the connection was lost before the commit",
                hint: "run the command again; operation \(operation) can no longer happen",
                details: Self.reason(silence))
        case .unknown(let operation, let silence):
            Words(
                "the connection was lost during the commit, so usher doesn't know whether it happened",
                hint: "`usher audit show \(operation)` shows the result when the server can be reached again",
                details: Self.reason(silence))
        case .warned(let warnings):
            Words("the change is done, but the server printed a warning at commit", details: warnings.map(\.sentence))
        }
    }

    private static let again = "try again in a moment"

    private static func reason(_ silence: PQError) -> [String] {
        Failure(silence).words.message.split(whereSeparator: \.isNewline).map {
            String($0.drop(while: \.isWhitespace))
        }
    }
}
