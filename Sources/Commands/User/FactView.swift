import PQ
import Terminal

/// Prints facts one per line with aligned values; facts without a value are left out.
struct FactView {
    let text: ScreenText
    let width: Int?

    func lines(_ facts: Row) -> [SafeText] {
        let known = zip(facts.columns, facts.values).filter { !$1.isNull }
        return KeyValueList(known.map { .init(SafeText($0.name), text.value($1, withDistance: true)) }).lines(
            width: width)
    }
}
