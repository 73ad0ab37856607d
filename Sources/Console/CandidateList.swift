import CommandLine
import Terminal

/// Candidates with meanings, one per line; if the candidates have no meanings, several in each line.
enum CandidateList {
    static func lines(_ candidates: [Completion.Candidate], width: Int) -> [SafeText] {
        // A candidate longer than a line would spoil the columns.
        let names = candidates.map { SafeText($0.name).cut(to: max(1, width - 1)) }
        let widest = names.map(\.width).max() ?? 0
        guard candidates.contains(where: { !$0.summary.isEmpty }) else {
            let across = max(1, width / (widest + 2))
            return stride(from: 0, to: names.count, by: across).map { start in
                let row = names[start..<min(start + across, names.count)]
                return (row.dropLast().map { $0.padded(to: widest) } + row.suffix(1)).joined(separator: "  ")
            }
        }
        return zip(names, candidates).map { name, candidate in
            (name.padded(to: min(widest, width / 2)) + "  " + SafeText(candidate.summary).dim).cut(
                to: max(1, width - 1))
        }
    }
}
