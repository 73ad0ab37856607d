/// Places in which nobody but the app knows that persons stand: keys without a foreign key, lists, documents, sentences; each
/// with the line that settles it, filled with who goes, who stays, and both.
struct RandomPlaces: Seeded {
    enum Key: CaseIterable { case uuid, number, long, name }
    enum Person: Int { case target, second, control }

    /// How the deletion runs: planned first, or finding out for itself, or some rows at a time.
    enum Run: CaseIterable { case whole, settled, parts }

    enum Shape: CaseIterable {
        case bound, key, keyText, list, kinds, address, sentence, sentences, document, documentText
    }
    enum Effect { case goes, detached, overwritten, kept }

    struct Row {
        let persons: [Person]
        /// What stands around each person.
        let wraps: [Int]
        /// Whose the rows are that hang on it; nil for nobody's.
        let crew: [Person?]
    }

    struct Place {
        let shape: Shape
        let effect: Effect
        let isForeign: Bool
        /// Whether things of users stand there, and no users.
        let isOfThings: Bool
        /// Whether what stands in a document is a member of an object, and no element of an array.
        let isMember: Bool
        /// What a foreign key does when what it refers to goes.
        let action: String
        /// Whether the kinds are values of a type of their own, and no texts.
        let areListed: Bool
        /// What hangs on the rows and is others' too: what becomes of their share, and what the foreign key does.
        let crew: (effect: Effect, action: String)?
        var rows: [Row]
    }

    let run: Run
    /// Whether the second goes along with the first.
    let areMany: Bool
    let userKey: Key
    let thingKey: Key
    /// How the one who stays is called; much like the one who goes.
    let other: String
    var places: [Place]

    private static let address = "ada@example.org"
    private static let second = "eve@example.org"
    private static let others = [
        "bob@example.org", "x-ada@example.org", "joada@example.org", "ada@example.org.au", "ada+1@example.org",
        "da@example.org",
    ]

    init(seed: UInt64) {
        var random = SplitMix(state: seed)
        run = Run.allCases.randomElement(using: &random) ?? .whole
        areMany = Bool.random(using: &random)
        userKey = Key.allCases.randomElement(using: &random) ?? .uuid
        thingKey = Key.allCases.randomElement(using: &random) ?? .uuid
        other = Self.others.randomElement(using: &random) ?? Self.others[0]
        places = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let shape = Shape.allCases.randomElement(using: &random) ?? .key
            let effects: [Effect] =
                switch shape {
                case .bound: [.goes, .detached, .overwritten, .kept]
                case .key, .keyText: [.goes, .detached]
                // A list loses what goes, whatever leads there.
                case .list: [.goes, .detached]
                case .kinds: [.goes]
                case .address: [.goes, .overwritten]
                case .sentence, .sentences: [.overwritten, .kept]
                case .document, .documentText: [.overwritten, .detached, .kept]
                }
            let effect = effects.randomElement(using: &random) ?? .kept
            let takesBoth = [.list, .sentence, .sentences, .document, .documentText].contains(shape)
            let rows = (0..<Int.random(in: 2...6, using: &random)).map { _ in
                let persons: [[Person]] =
                    [[.target], [.second], [.control], []]
                    + (takesBoth
                        ? [[.target, .control], [.control, .target, .second, .control], [.second, .target]] : [])
                let own = persons.randomElement(using: &random) ?? []
                let crew = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Person(rawValue: Int.random(in: 0...3, using: &random))
                }
                return Row(persons: own, wraps: own.map { _ in Int.random(in: 0..<100, using: &random) }, crew: crew)
            }
            // What only loses what it refers to holds nobody.
            let actions =
                shape == .bound && effect != .detached
                ? ["cascade", "no action"] : ["cascade", "set null", "no action"]
            let isHeld = effect == .goes && shape != .list && Bool.random(using: &random)
            let crew =
                isHeld
                ? (
                    effect: Bool.random(using: &random) ? Effect.goes : .kept,
                    action: ["cascade", "set null", "no action"].randomElement(using: &random) ?? "cascade"
                ) : nil
            return Place(
                shape: shape, effect: effect, isForeign: Int.random(in: 0..<3, using: &random) == 0,
                isOfThings: [.bound, .key, .keyText, .list].contains(shape) && Bool.random(using: &random),
                isMember: Bool.random(using: &random),
                action: actions.randomElement(using: &random) ?? "cascade",
                areListed: Bool.random(using: &random), crew: crew, rows: rows)
        }
    }

    // MARK: As SQL

    static func key(_ key: Key, _ person: Person, ofThing: Bool = false) -> String {
        // Small numbers of users are those of other users' things.
        let number = (person.rawValue + (ofThing ? 1 : 0)) % 3 + 1
        return switch key {
        case .uuid: "0000000\(number)-0000-4000-8000-00000000000\(ofThing ? 2 : 1)"
        case .number: "4\(number)"
        case .long: "\(ofThing ? 8 : 7)00000000\(number)"
        case .name: (ofThing ? "thing-" : "user_") + ["adalove", "bobbette", "bobby"][person.rawValue]
        }
    }

    private func key(_ person: Person, of place: Place) -> String {
        place.isOfThings ? Self.key(thingKey, person, ofThing: true) : Self.key(userKey, person)
    }

    private static func type(_ key: Key) -> String {
        switch key {
        case .uuid: "uuid"
        case .number: "integer"
        case .long: "bigint"
        case .name: "text"
        }
    }

    private func name(_ index: Int) -> String { places[index].isForeign ? "\"Fundstück \(index)\"" : "place\(index)" }
    private func crew(_ index: Int) -> String { "crew\(index)" }
    private func column(_ index: Int) -> String {
        places[index].isForeign ? "\"Wert \"\"\(index)\"\"\"" : "held\(index)"
    }

    private func address(_ person: Person) -> String { [Self.address, Self.second, other][person.rawValue] }

    /// Who goes, by address.
    var leaving: [String] { areMany ? [Self.address, Self.second] : [Self.address] }
    /// The addresses of those who stay.
    var staying: [String] { areMany ? [other] : [Self.second, other] }

    private var isNumber: Bool { userKey == .number || userKey == .long }

    private func isLeaving(_ person: Person) -> Bool { person == .target || person == .second && areMany }

    var written: String { "\(run), \(leaving)\n" + (statements.map { $0 + ";" } + lines).joined(separator: "\n") }

    var statements: [String] {
        let people: [Person] = [.target, .second, .control]
        func values(_ row: (Person) -> (String, String)) -> String {
            people.map(row).map { "('\($0)', '\($1)')" }.joined(separator: ", ")
        }
        var statements = [
            "drop type if exists kind cascade", "create type kind as enum ('Member', 'Thing')",
            "create table users (id \(Self.type(userKey)) primary key, email text not null unique)",
            "insert into users values \(values { (Self.key(userKey, $0), address($0)) })",
            """
            create table things (id \(Self.type(thingKey)) primary key,
                                 user_id \(Self.type(userKey)) not null references users on delete cascade)
            """,
            "create index on things (user_id)",
            "insert into things values \(values { (Self.key(thingKey, $0, ofThing: true), Self.key(userKey, $0)) })",
        ]
        for (index, place) in places.enumerated() {
            let key = place.isOfThings ? thingKey : userKey
            let type =
                switch place.shape {
                case .bound:
                    "\(Self.type(key)) references \(place.isOfThings ? "things" : "users") on delete \(place.action)"
                case .key: Self.type(key)
                case .keyText, .address, .sentence, .documentText, .kinds: "text"
                case .sentences: "text[]"
                case .list: Self.type(key) + "[]"
                case .document: "jsonb"
                }
            let what = place.shape == .kinds && place.areListed ? "kind" : "text"
            statements.append(
                "create table \(name(index)) (id int primary key, what \(what), \(column(index)) \(type))")
            if let crew = place.crew {
                statements.append(
                    """
                    create table \(self.crew(index)) (id int primary key, place int references \(name(index)) on delete \(crew.action),
                                                 user_id \(Self.type(userKey)) references users on delete cascade)
                    """)
            }
            for (number, row) in place.rows.enumerated() {
                let values = [self.what(row, number, place, after: false), value(row, number, place, after: false)]
                    .map { $0.map { "'\($0)'" } ?? "null" }
                statements.append("insert into \(name(index)) values (\(number), \(values.joined(separator: ", ")))")
                guard place.crew != nil else { continue }
                for (place, person) in row.crew.enumerated() {
                    let user = person.map { "'\(Self.key(userKey, $0))'" } ?? "null"
                    statements.append(
                        "insert into \(crew(index)) values (\(number * 10 + place), \(number), \(user))")
                }
            }
        }
        return statements
    }

    /// Of what kind a row is about that says so; those of things have the keys of users.
    private func kind(_ number: Int) -> String { number % 2 == 0 ? "Member" : "Thing" }

    /// The lines that settle it all.
    var lines: [String] {
        places.indices.flatMap { index -> [String] in
            let place = places[index]
            let column = "public.\(name(index)).\(column(index))"
            let reference = "@reference \(column) -> public.\(place.isOfThings ? "things" : "users").id"
            let own: [String] =
                switch (place.shape, place.effect) {
                case (.bound, .goes), (.bound, .detached):
                    place.effect == .detached && place.action != "set null" ? ["@detach \(column) : It stays."] : []
                case (.bound, .kept): ["@keep public.\(name(index)) : It stays."]
                case (.bound, .overwritten): ["@anonymise public.\(name(index)).what = 'nobody' : It stays."]
                case (.kinds, _):
                    [reference + " where what = 'Member'", "@plain public.\(name(index)).what : It is a kind."]
                case (.address, .goes): ["@reference \(column) -> public.users.email"]
                case (.key, .detached), (.keyText, .detached), (.list, .detached):
                    [reference, "@detach \(column) : It stays."]
                case (.key, _), (.keyText, _), (.list, _): [reference]
                case (_, .detached): ["@mention \(column) : detach"]
                case (_, .kept): ["@mention \(column) : keep"]
                default: ["@mention \(column) : anonymise"]
                }
            return own + crewLines(index)
        }
    }

    /// What becomes of the others' share; what only loses its reference is not shared.
    private func crewLines(_ index: Int) -> [String] {
        guard let crew = places[index].crew, crew.action != "set null" else { return [] }
        return ["@collateral public.\(self.crew(index)) : \(crew.effect == .goes ? "delete" : "keep") : Both agreed."]
    }

    /// Whether a row goes with who leaves.
    private func isGone(_ row: Row, _ number: Int, _ place: Place) -> Bool {
        place.effect == .goes && place.shape != .list && row.persons.contains(where: isLeaving)
            && (place.shape != .kinds || kind(number) == "Member")
    }

    // MARK: What stands there

    /// What a row of a place holds before or after the deletion; nil for nothing.
    private func value(_ row: Row, _ number: Int, _ place: Place, after: Bool) -> String? {
        func gone(_ person: Person) -> Bool { after && isLeaving(person) && place.effect != .kept }
        switch place.shape {
        case .bound:
            return row.persons.first.flatMap { after && isLeaving($0) ? nil : key($0, of: place) }
        case .key, .keyText, .kinds:
            guard let person = row.persons.first, !gone(person) || place.shape == .kinds else { return nil }
            return place.shape == .kinds ? Self.key(userKey, person) : key(person, of: place)
        case .address:
            guard let person = row.persons.first else { return nil }
            return gone(person) ? "***" : address(person)
        case .list:
            return "{" + row.persons.filter { !gone($0) }.map { key($0, of: place) }.joined(separator: ",") + "}"
        case .sentence:
            let words = zip(row.persons, row.wraps).map { person, wrap in
                let own = wrap % 2 == 0 ? address(person) : Self.key(userKey, person)
                return self.word(gone(person) ? "***" : own, wrap)
            }
            return (["Seen"] + words + ["today."]).joined(separator: " ")
        case .sentences:
            // Of a list go the elements.
            let sentences = zip(row.persons, row.wraps).filter { !gone($0.0) }.map { person, wrap in
                "user:" + (wrap % 2 == 0 ? address(person) : Self.key(userKey, person))
            }
            return "{" + sentences.joined(separator: ",") + "}"
        case .document, .documentText:
            // What is detached is emptied whole.
            if place.effect == .detached, row.persons.contains(where: gone) { return nil }
            let parts = zip(row.persons, row.wraps).map { person, wrap in
                let own = Self.key(userKey, person)
                if wrap % 2 == 0 { return "\"\(gone(person) ? "***" : address(person))\"" }
                if !isNumber { return "\"\(gone(person) ? "***" : own)\"" }
                // A number is anything, unless it is called theirs.
                return "{\"userId\": \(gone(person) ? "null" : wrap % 3 == 0 ? "\"\(own)\"" : own)}"
            }
            if place.isMember {
                let members = parts.enumerated().map { "\"at\($0)\": \($1)" }
                return "{" + members.joined(separator: ", ") + "}"
            }
            return "[" + parts.joined(separator: ", ") + "]"
        }
    }

    /// What stands beside it: of what kind it is, or an address.
    private func what(_ row: Row, _ number: Int, _ place: Place, after: Bool) -> String? {
        switch place.shape {
        case .kinds: return kind(number)
        case .bound where place.effect == .overwritten:
            guard let person = row.persons.first else { return nil }
            return after && isLeaving(person) ? "nobody" : "to " + address(person)
        default: return nil
        }
    }

    private func word(_ text: String, _ wrap: Int) -> String {
        let wraps =
            wrap % 2 == 0
            ? ["|", "<|>", "(|)", "|,", "mailto:|", "|;", "to=|", "\"|\"", "|!"]
            : ["user:|", "/users/|", "user_id=|"] + (isNumber ? [] : ["|", "(|)", "|,", "|;", "\"|\""])
        let (before, behind) = (
            wraps[wrap % wraps.count].prefix { $0 != "|" }, wraps[wrap % wraps.count].drop { $0 != "|" }.dropFirst()
        )
        return before + text + behind
    }

    /// The rows of each place as they have to be afterwards, number and content: all of them, or those of whoever stays.
    func expected(areAll: Bool = true) -> [(table: String, query: String, rows: [[String?]])] {
        crews(areAll: areAll)
            + places.indices.map { index in
                let place = places[index]
                let rows = place.rows.enumerated().compactMap { number, row -> [String?]? in
                    if isGone(row, number, place) || !areAll && row.persons.contains(where: isLeaving) { return nil }
                    return ["\(number)", what(row, number, place, after: true), value(row, number, place, after: true)]
                }
                return (name(index), "select id, what, \(column(index)) from \(name(index)) order by id", rows)
            }
    }

    /// What hangs on rows that are shared: it goes with whose it is, and what is nobody's with what it hangs on.
    private func crews(areAll: Bool) -> [(table: String, query: String, rows: [[String?]])] {
        places.indices.compactMap { index in
            guard let crew = places[index].crew else { return nil }
            let rows = places[index].rows.enumerated().flatMap { number, row -> [[String?]] in
                if !areAll, row.persons.contains(where: isLeaving) { return [] }
                let isGone = isGone(row, number, places[index])
                return row.crew.enumerated().compactMap { place, person -> [String?]? in
                    let goesAlong = isGone && crew.action != "set null"
                    if person.map(isLeaving) ?? goesAlong { return nil }
                    if goesAlong && crew.effect == .goes { return nil }
                    return [
                        "\(number * 10 + place)", isGone ? nil : "\(number)", person.map { Self.key(userKey, $0) },
                    ]
                }
            }
            return (self.crew(index), "select id, place, user_id from \(self.crew(index)) order by id", rows)
        }
    }

    /// The same with one place or row less.
    var smaller: [RandomPlaces] {
        var smaller: [RandomPlaces] = []
        for index in places.indices.reversed() {
            var copy = self
            copy.places.remove(at: index)
            smaller.append(copy)
            for row in places[index].rows.indices {
                var copy = self
                copy.places[index].rows.remove(at: row)
                smaller.append(copy)
            }
        }
        return smaller
    }
}
