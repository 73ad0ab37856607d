import Foundation

/// The newsletter app of the language guide.
enum MistakenLetter {
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
        "letter", Guide.blocks("sql"), on: Guide.blocks("schema").components(separatedBy: ";\n") + rows,
        with: inUsers + inDecisions + inReading + inChanges + inAccount)
}
