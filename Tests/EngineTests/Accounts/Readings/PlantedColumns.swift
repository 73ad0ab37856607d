/// A database in which columns mean people that no key explains, beside others that look so and mean nothing: what a survey has
/// to ask about, and what it must not.
struct PlantedColumns {
    /// What tells users apart: numbers from one to sixty, numbers that stand nowhere by chance, or uuids.
    enum Keys: CaseIterable { case small, large, uuid }

    let keys: Keys
    let isFilled: Bool
    /// Whether tables and columns are called in a language that no list of words knows.
    let isForeign: Bool

    static let all = Keys.allCases.flatMap { keys in
        [false, true].flatMap { isForeign in
            [true, false].map { PlantedColumns(keys: keys, isFilled: $0, isForeign: isForeign) }
        }
    }

    var name: String { "\(keys) keys, \(isFilled ? "filled" : "empty"), \(isForeign ? "another language" : "English")" }
    var root: String { "public.\(isForeign ? "mitglieder" : "users")" }

    private var type: String { keys == .uuid ? "uuid" : "bigint" }

    /// The key of a user, by an expression for his number.
    private func key(_ number: String) -> String {
        switch keys {
        case .small: "\(number)::bigint"
        case .large: "(\(number))::bigint * 1000003 + 17"
        case .uuid: "md5('user ' || (\(number)))::uuid"
        }
    }

    /// The names in English, and in the other language.
    private static let names: [(String, String)] = [
        ("users", "mitglieder"), ("loans", "ausleihen"), ("member_no", "mitglied_nr"), ("shelf_no", "regal_nr"),
        ("visits", "besuche"), ("patient_nr", "mitgliednr"), ("room_nr", "raum_nr"), ("journal", "protokoll"),
        ("detail", "vermerk"), ("profiles", "steckbriefe"), ("profile_id", "steckbrief_id"), ("avatar_id", "bild_id"),
        ("files", "bilder"), ("mails", "briefe"), ("sent_to", "empfang"), ("body", "inhalt"), ("marks", "zeichen"),
        ("of_what", "wovon"), ("ref", "wessen"), ("orders", "bestellungen"), ("goods", "waren"), ("shelf", "regal"),
        ("stock", "vorrat"), ("rating", "note"), ("position", "stelle"), ("made", "jahr"), ("line_no", "zeile"),
        ("lines", "zeilen"), ("token", "kennung"), ("label", "etikett"), ("author_name", "verfasser"),
        ("who", "wer"), ("owner_id", "halter"),
    ]

    private func called(_ name: String) -> String {
        isForeign ? Self.names.first { $0.0 == name }?.1 ?? name : name
    }

    /// Replaces names in braces.
    private func fill(_ text: String) -> String {
        Self.names.reduce(text) { $0.replacing("{\($1.0)}", with: called($1.0)) }
    }

    var statements: [String] {
        let one = keys == .uuid ? "text" : "bigint"
        let tables = [
            "create table {files} (id int primary key, path text)",
            "create table {profiles} (id int primary key, bio text, {avatar_id} int references {files})",
            """
            create table {users} (id \(type) primary key, email text, name text, {profile_id} int unique references {profiles})
            """,
            "create table {orders} (id int primary key, buyer \(type) not null references {users} on delete cascade)",
            "create table {lines} (id int primary key, order_key int references {orders} on delete cascade, {line_no} int)",
            "create table {loans} (id int primary key, {member_no} \(type), {shelf_no} int, amount int)",
            "create table {visits} (id int primary key, {patient_nr} \(type), {room_nr} int, {made} int)",
            "create table {journal} (id int primary key, {detail} text, {label} text)",
            "create table {mails} (id int primary key, {sent_to} text not null, {body} text)",
            "create table {marks} (id int primary key, {of_what} text, {ref} \(one), {rating} int)",
            """
            create table {goods} (id int primary key, {shelf} int, {stock} int, {rating} int, {position} int, {made} int,
                                  {token} uuid, {label} text)
            """,
        ]
        let rows = [
            "insert into {files} select n, n || '.png' from generate_series(1, 60) n",
            "insert into {profiles} select n, 'about', 61 - n from generate_series(1, 60) n",
            """
            insert into {users} select \(key("n")), 'person' || n || '@example.com', 'Person Number' || n, n
              from generate_series(1, 60) n
            """,
            "insert into {orders} select n, \(key("1 + n % 60")) from generate_series(1, 400) n",
            "insert into {lines} select n, 1 + n % 400, 1 + n % 4 from generate_series(1, 900) n",
            "insert into {loans} select n, \(key("1 + n * 7 % 60")), 1 + n % 12, n % 9 from generate_series(1, 300) n",
            "insert into {visits} select n, \(key("1 + n * 11 % 60")), 1 + n % 30, 1990 + n % 30 from generate_series(1, 200) n",
            """
            insert into {journal} select n, case when n % 500 = 7 then (\(key("1 + n % 60")))::text else left(md5(n::text), 9) end, 'l' || n % 5
              from generate_series(1, 3000) n
            """,
            """
            insert into {mails} select n, 'person' || 1 + n % 60 || '@example.com',
                   'Dear all, person' || 1 + n % 60 || '@example.com will come.' from generate_series(1, 200) n
            """,
            """
            insert into {marks} select n, case when n % 2 = 0 then '{users}' else '{orders}' end,
                   case when n % 2 = 0 then (\(key("1 + n % 60")))::\(one) else (1 + n % 400)::\(one) end, n % 5
              from generate_series(1, 400) n
            """,
            """
            insert into {goods} select n, 1 + n % 50, 1 + n * 7 % 90, 1 + n % 5, n, 1990 + n % 30, gen_random_uuid(), 'l' || n
              from generate_series(1, 300) n
            """,
            "analyze",
        ]
        return (isFilled ? tables + rows : tables).map(fill)
    }

    /// The columns that have to be asked about.
    var planted: Set<String> {
        var columns = ["{users}.{profile_id}", "{loans}.{member_no}", "{visits}.{patient_nr}"]
        if isFilled {
            columns += ["{profiles}.{avatar_id}", "{mails}.{sent_to}", "{mails}.{body}", "{marks}.{ref}"]
            // A number in a text says nothing.
            if keys == .uuid { columns.append("{journal}.{detail}") }
        }
        return Set(columns.map { "public." + fill($0) })
    }

    /// What a survey of it came to.
    struct Outcome {
        let missed: Set<String>
        let wrong: Set<String>
        let asked: Int
        let planted: Int

        var text: String {
            "recall \(planted - missed.count)/\(planted), precision \(asked - wrong.count)/\(asked)"
                + (missed.isEmpty ? "" : ", missed \(missed.sorted())")
                + (wrong.isEmpty ? "" : ", wrong \(wrong.sorted())")
        }
    }

    func outcome(_ asked: Set<String>) -> Outcome {
        Outcome(
            missed: planted.subtracting(asked), wrong: asked.subtracting(planted), asked: asked.count,
            planted: planted.count)
    }

    /// Where something else has to be proposed than usual: a column, and how a line of it begins.
    var lines: [(column: String, line: String)] {
        guard isFilled else { return [] }
        let all =
            [
                ("{mails}.{sent_to}", "@mention public.{mails}.{sent_to} : anonymise"),
                ("{mails}.{body}", "@mention public.{mails}.{body} : keep"),
            ] + (keys == .uuid ? [("{journal}.{detail}", "@mention public.{journal}.{detail} : anonymise")] : [])
        return all.map { ("public." + fill($0.0), fill($0.1)) }
    }
}
