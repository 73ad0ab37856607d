package import Acts
internal import Asking
import PQ

extension ActRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .keepsChanging: Words("the data keeps changing while this runs", hint: Self.again)
        case .wasLocked: Words("somebody else was changing it")
        case .isLocked: Words("somebody else is changing one of these", hint: Self.again)
        case .isHeldLong: Words("somebody else has been changing some of these rows for a while", hint: Self.again)
        case .notCommitted(let operation, let silence):
            Words(
                "the connection was lost before the commit",
                hint: "run the command again; operation \(operation) can no longer happen",
                details: Self.reason(silence))
        case .unknown(let operation, let silence):
            Words(
                "the connection was lost during the commit, and what became of it is unknown",
                hint: "`usher audit show \(operation)` tells when the server can be reached again",
                details: Self.reason(silence))
        case .warned(let warnings):
            Words("it is done, and the server warned as it committed", details: warnings.map(\.sentence))
        }
    }

    private static let again = "try again in a moment"

    private static func reason(_ silence: PQError) -> [String] {
        Failure(silence).words.message.split(whereSeparator: \.isNewline).map {
            String($0.drop(while: \.isWhitespace))
        }
    }
}
