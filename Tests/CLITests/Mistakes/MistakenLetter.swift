import Foundation
import Support

/// The newsletter of the language's guide.
enum MistakenLetter {
    private static let page = Result {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("sql/README.md"), encoding: .utf8)
    }

    private static let rows = [
        "create sequence public.n",
        """
        create function public.touch(k bigint) returns boolean language plpgsql as $$ begin
            insert into public.delivery_log values (now(), k::text);
            return true;
        end $$
        """,
        "insert into public.subscribers values (1, 'ada@example.com', 'paid', now(), now())",
    ]

    static let file = MistakenFile(
        "letter", blocks("sql"), on: blocks("schema").components(separatedBy: ";\n") + rows,
        with: inUsers + inDecisions + inReading + inChanges + inAccount)

    private static func blocks(_ kind: String) -> String {
        ((try? page.get()) ?? "").components(separatedBy: "```\(kind)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.joined(separator: "\n")
    }
}
