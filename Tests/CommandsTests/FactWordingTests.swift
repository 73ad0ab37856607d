@testable import Catalog
@testable import Inquiries
@testable import PQ
import AppFile
import Asking
import Commands
import Foundation
import Ledger
import Testing

/// There are words for every fact that the engine finds, and the engine has none of its own.
@Suite struct FactWordingTests {
    private static let error = ServerError(state: SQLState(rawValue: "42P01"), message: "there is no such table")
    private static let people = Relation(
        schema: "public", name: "people", exists: true, isReadable: false, isReachable: true, hidesRows: true)
    private static let target = Unreachable.Target(host: "db.example.com", port: "5432", database: "app", user: "ann")
    private static let unreachable = Unreachable("refused\n\tIs it running?", at: .password, target: target)
    private static let file = SourceFile(name: "app.sql", bytes: Array("select nothing;\n".utf8))
    private static let column = AddressColumn(
        name: .init(schema: "public", table: "people", column: "email", expression: "email"), type: "text",
        rows: 100_000, isPartitioned: false, indexes: [])
    private static let reference = UnindexedReference(
        table: "public.notes", columns: "author", referenced: "public.people", rows: 100_000,
        isPartitioned: false)
    private static let reader = SessionReader(
        table: "public.people", kind: "trigger", name: "stamp", users: ["current_user"])
    private static let held = HeldRight(role: "usher_admin", subject: .schema("public"), remedy: "revoke it")

    /// Every case once.
    private static let findings: [Finding] = [
        .overruledDatabaseURL(by: ["PGHOST"]), .target(target), .passed(.port, target), .noPassword,
        .failed(.password, unreachable),
        .connection(database: "app", address: "a socket", version: "16.1", login: "ann"),
        .transport(.plain, isEncrypted: false, protocolVersion: nil), .engine("Neon", follows: "it sleeps"), .noPooler,
        .pooler(nil, follows: nil), .noPipelines, .lostPipelines, .readOnly(.worker(coordinator: "one:5432")),
        .spread(tables: 2, nodes: 3),
        .silent(server: "two:5432", because: "timeout", withoutRole: nil), .mute(server: "far"),
        .strangers(server: "two:5432", remedies: ["create role sue"]),
        .clock(apart: 7), .role("ann", isSuperuser: true),
        .rowSecurity(role: "ann", isBypassed: false), .noTemporaryTables(database: "app", role: "ann"), .noCounters,
        .environment(.unasked), .noApp(Failure(InquiryRefusal.otherApp)),
        .app(name: "lab", title: "Lab", digest: "0123", without: ["a.b"]),
        .missingTables([people]), .unreadableTables([people], role: "ann"), .hiddenRows([people], role: "ann"),
        .readable(tables: 7, role: "ann"), .appFile(unseen: [AppCheck.Unseen(name: "@users", seen: 1000)]),
        .mistaken(AppFinding(.noColumn("age"), at: .init(file: file, offset: 7)), count: 2, isError: true),
        .noLedger(ofSchemas: true), .otherLedger(version: 3), .noRecording(.mayNotRecord), .unknownSeals,
        .ledger(version: 4, unsealed: 7),
        .lateSealing(
            LateSealing(operations: 7, blockers: [.init(.lock, "1", user: "ann"), .init(.prepared, "it's", user: nil)])),
        .held(held), .openPath(remedies: ["revoke it;"]),
        .noActs(app: "lab"), .acts("7", date: "2026-01-01"), .otherActs(date: "2026-01-01"), .reader(reader),
        .settings(["app.who"]), .unknownSettings(of: ["public.guess()"]),
        .slowLookUp(MissingIndex(purpose: .address, column: column), remedy: "create index"),
        .computedAddresses, .lookUps,
        .unindexed(reference), .moreUnindexed(3), .indexes,
    ]

    private static let unreadables: [Unreadable] = [
        .server(error), .forbidden(error), .mistaken(error, at: .init(file: "app.sql", line: 1, column: 8)),
        .late(error, askedAt: nil),
        .hidden(role: "ann", tables: ["public.people"]), .noFacts, .noRule, .repeated(7),
    ]

    private static let doubts: [Environment.Doubt] = [
        .notAsked, .undeclared, .unreadable(error), .garbled(.isNotOneRow(0)), .noTable, .foreignSchema,
        .severalDeclared,
        .ofAnotherDatabase, .unknownName("playground"),
    ]

    private static let mistakes: [AppMistake] = [
        .ofFile(Diagnostic("no such directive", in: file, at: 0)), .statement(.init(error)),
        .name(directive: "@keep", .init(error)), .noColumn("age"), .shape(columns: 2, wanted: ["key", "used"]),
        .kind(of: ShapedColumn("used", kind: .number)), .noCondition(type: "text"), .turnedMembers(of: "shop"),
        .member(of: "shop", type: "text", wanted: "uuid"), .bounds(of: "days", type: "text", 1...5),
        .noFact("age"), .noFactOfLink(title: "Mail", "age"), .noFactToMean("age"), .unmet(requirement: "public.a"),
        .gate, .refusesAll, .reachesOthers(of: "1", other: "2"),
        .reachesRows(of: "1", other: "2", table: "public.notice"),
        .repeatedKey(of: "@quota letters", key: "7", takesSeveral: true), .noAssumption("opend"),
        .shownSecrets(["token"], others: 2), .readSecret("public.a.token"),
        .expectedApart(decision: "billing", column: "id", type: "bigint", per: "shop", wanted: "text"),
        .undeclaredSecrets(["public.a.token", "public.b.token"]),
        .seenSecrets(["public.a.seed"], others: 0), .unreadOptional("public.a.b"),
        .unread(message: "permission denied", others: 1), .writing(function: "public.touch"),
        .incomparable(from: "a.b", to: "c.d", fromType: "date", toType: "uuid", spelled: nil),
        .impossible(column: "tier", value: "gold", allowed: ["free", "paid"]),
        .unmentioned(decision: "access", column: "tier", values: ["free"]), .mustNotBeEmpty("a.b"),
        .leftOut(["a.b", "a.c"]), .mayBeEmpty(column: "a.b", parameter: "c"),
        .strange(to: "shop", column: "a.b", wanted: "c.d"), .apart("a.b", "c.d"), .opaque(function: "public.touch"),
        .cannotBeWritten("a.b"), .goesAnyway(column: "a.b"),
        .heldFast(column: "a.b", by: "a.c"),
        .cannotOutlive(column: "a.b", table: "c"), .cannotStay(table: "a", root: "c"),
        .wayCannotBeEmpty(column: "a.b", table: "c"), .wayLeadsNowhere("a.b"),
        .ownsNothing(column: "a.b", target: "c.d"), .ownsUsers("a.b"),
        .noHeir("7", users: "a.users"),
        .nobodyWrites(table: "a.b", unread: ["a.f"]),
        .onlyChanges(table: "a.b"), .changesToo(table: "a.b"),
    ]

    /// The names of the cases that an enum of a file has.
    private static func cases(of type: String, in path: String) throws -> [String] {
        let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
        let start = try #require(text.firstRange(of: "enum \(type): "))
        let indent = text[..<start.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        let margin = String(indent.prefix { $0 == " " })
        var names: [String] = []
        for line in text[start.upperBound...].split(separator: "\n").dropFirst() {
            if line == "\(margin)}" { break }
            guard line.hasPrefix("\(margin)    case ") else { continue }
            let list = line.dropFirst("\(margin)    case ".count).prefix { $0 != "(" }.split(separator: ",")
            // Behind facts there may be more of them.
            let more = line.matches(of: /\), (\w+)/).map { String($0.1) }
            names += list.map { String($0.filter { $0 != " " }) } + more
        }
        return names.filter { !$0.contains(":") && !$0.hasPrefix(".") }
    }

    private static func name(_ value: Any) -> String { String("\(value)".prefix { $0 != "(" }) }

    @Test func everyFindingHasWords() throws {
        let declared = try Self.cases(of: "Finding", in: "Inquiries/Doctor/Finding.swift")
        #expect(Self.findings.map(Self.name).sorted() == declared.sorted())
        for finding in Self.findings {
            let words = finding.words
            #expect(!words.topic.isEmpty && !words.message.isEmpty && words.remedy != "", "\(finding)")
            #expect(words.message.last != "." && words.remedy?.last != ".", "\(finding)")
            if finding.health == .well { #expect(words.remedy == nil, "\(finding)") }
        }
        // No two say the same.
        #expect(Set(Self.findings.map(\.words)).count == Self.findings.count)
    }

    @Test func everyMistakeOfAnAppFileHasWords() throws {
        let declared = try Self.cases(of: "AppMistake", in: "Inquiries/AppCheck/AppFinding.swift")
        #expect(Self.mistakes.map(Self.name).sorted() == declared.sorted())
        let told = Self.mistakes.map { AppFinding($0, at: .init(file: Self.file, offset: 7)).diagnostic }
        for finding in told {
            #expect(!finding.message.isEmpty && finding.message.last != "." && finding.hint != "", "\(finding)")
            #expect(finding.offset == 7)
        }
        // No two say the same.
        #expect(Set(told.map(\.message)).count == told.count)
    }

    @Test func whatIsUnreadableOrDoubtfulHasWords() throws {
        #expect(
            Self.unreadables.map(Self.name).sorted()
                == (try Self.cases(of: "Unreadable", in: "Inquiries/Answer.swift")).sorted())
        #expect(Set(Self.unreadables.map(\.sentence)).count == Self.unreadables.count)
        #expect(
            Self.doubts.map(Self.name).sorted()
                == (try Self.cases(of: "Doubt", in: "Catalog/Environment.swift")).sorted())
        #expect(Set(Self.doubts.map(\.sentence)).count == Self.doubts.count)
    }

    // MARK: No words in the engine

    /// The texts in a source, without what is interpolated into them, and without comments.
    private static func texts(of source: String) -> [String] {
        var texts: [String] = []
        let code = source.replacing(/(?m)^ *\/\/.*$/, with: "")
        for match in code.matches(
            of: /"""(?s:(.*?))"""|"((?:\\\((?:[^()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))*\)|\\.|[^"\\\n])*)"/)
        {
            let text = String(match.1 ?? match.2 ?? "")
            texts.append(text.replacing(/\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/, with: "7"))
        }
        return texts
    }

    /// What a statement begins with, and no sentence.
    private static let verbs: Set<String> = [
        "select", "insert", "create", "drop", "alter", "grant", "revoke", "rollback", "savepoint",
    ]

    /// What a statement begins with, or a part of one, or a sentence.
    private static let statements: Set<String> = [
        "with", "update", "delete", "set", "begin", "lock", "release", "reset", "prepare", "execute", "declare",
        "fetch",
        "language", "order", "where", "from", "union", "case", "coalesce", "policy", "on", "left", "not", "exists",
        "and",
        "array", "comment", "filter", "explain",
    ]

    /// What stands behind that, where no sign tells a statement from a sentence.
    private static let clauses: Set<String> = [
        "all", "atomic", "by", "constraints", "execute", "isolation", "join", "local", "read",
        "savepoint", "sql", "usage", "as", "policy", "index",
    ]

    /// What SQL says in several words, wherever it stands.
    private static let phrases = [
        "is not null", "is not true", "is false", "is distinct from", "is not distinct from", "at time zone",
        "without time zone",
    ]

    /// What operations are called in the ledger.
    private static let names: Set<String> = ["account delete archive", "account delete files"]

    /// Words of a sentence stand one behind the other; those of a statement begin with one of SQL, and signs stand between them.
    private static func isSentence(_ text: String) -> Bool {
        if names.contains(text) || text.contains("pg_catalog.") || text.contains("-- @") { return false }
        let text = phrases.reduce(text) { $0.replacing($1, with: "") }
        guard text.firstMatch(of: /[a-z]+ [a-z]+ [a-z]+/) != nil else { return false }
        let words = text.lowercased().replacing("\\n", with: " ").split { !$0.isLetter }
        guard let first = words.first.map(String.init), !verbs.contains(first) else { return words.isEmpty }
        guard statements.contains(first) else { return true }
        return text.firstMatch(of: /[()=_'.:*]/) == nil
            && words.dropFirst().first.map { clauses.contains(String($0)) } != true
    }

    /// What the engine finds are facts.
    ///
    /// What libpq and the parser of app files say of their texts comes as they say it.
    @Test(arguments: ["Asking", "Catalog", "Ledger", "Acts", "Inquiries", "Changes", "Storage", "Accounts", "Grants"])
    func theEngineSpeaksNoEnglish(_ room: String) throws {
        let folder = Self.sources.appending(path: room)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path())).compactMap { $0 as? String }
        var seen = 0
        for file in files where file.hasSuffix(".swift") {
            let texts = Self.texts(of: try String(contentsOf: folder.appending(path: file), encoding: .utf8))
            seen += texts.count
            for text in texts { #expect(!Self.isSentence(text), "\(room)/\(file): \(text)") }
        }
        #expect(seen > 0)
    }

    @Test func aSentenceIsToldFromAStatement() {
        #expect(Self.isSentence("no app fits this database"))
        #expect(Self.isSentence("may hide rows of 7 from them all"))
        #expect(!Self.isSentence("select a from b where c"))
        #expect(!Self.isSentence("rollback to savepoint step"))
        #expect(!Self.isSentence("\\n order by a desc") && !Self.isSentence("seen at time zone"))
        #expect(Self.isSentence("7 is not one of them"))
        #expect(Self.isSentence("left to the cascade of its parent"))
        #expect(Self.isSentence("with the commit it lasts"))
        #expect(Self.texts(of: #"let a = "one \(b("x")) two" // "three""#) == ["one 7 two", "three"])
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")
}
