import Accounts
import Acts
import AppFile
import Asking
import Catalog
import Changes
import Commands
import Foundation
import Grants
import Inquiries
import Ledger
import PQ
import Storage
import Support
import Testing

/// There are words for every refusal of the engine, and only here.
@Suite struct WordingTests {
    /// Every case once.
    private static let refusals: [any Refusal] =
        asking + ledger + acts + changes + inquiries + accounts + erasures + archives + storage + grants

    private static let error = ServerError(
        state: SQLState(rawValue: "23514"), message: "it breaks a rule", detail: "which one", hint: "keep it")
    private static let lost = PQError.connectionLost("server closed the connection unexpectedly\n\tThis probably means")
    private static let cause = Failure(PQError.server(error))

    private static let grants: [GrantsRefusal] = [.readOnly(.worker(coordinator: nil))]

    private static let asking: [AskingRefusal] = [
        .wire(lost), .invalidApp(InvalidApp([])), .earlyServer(version: "13.2"), .otherEngine(.cockroachDB),
        .needsReason(.deletion, doubt: .undeclared), .interrupted,
        .unreadable(path: "/nowhere", code: 2), .needsZone(name: "--at", text: "noon", mistaken: "Mars"),
        .skippedTime(name: "--at", text: "2035-03-25 02:30", seconds: 3600), .noTime(name: "--at", error),
    ]

    private static let ledger: [LedgerRefusal] = [
        .noLedger(for: .changes), .noLedgerOfSchemas(app: "shop"), .otherLedger(version: 9, known: 4),
        .mayNotRecord, .mayNotAct, .mayNotErase, .mayNotRead,
        .withheld(.run, from: "usher_support"), .dormant(role: "usher_support"), .unexpectedCatalog("no rows"),
        .noOperation("17", isID: false), .severalOperations("0123abcd", count: 11, first: ["one", "two"]),
        .noRequest("17"), .severalRequests("0123abcd"), .answeredRequest(id: "1", state: "declined", by: "ann"),
        .noHead, .noTally, .undoneLater(cause, command: "tier set", by: "ann", operation: "7"),
    ]

    private static let acts: [ActRefusal] = [
        .keepsChanging(error.state), .wasLocked, .isLocked(error.state), .isHeldLong(error.state),
        .notCommitted(operation: "7", lost), .unknown(operation: "7", lost),
        .warned([Notice(severity: "WARNING", state: error.state, message: "not yet", detail: "wait")]),
    ]

    private static let remark = SubjectRemark(
        subject: ChangeSubject(key: "1", label: "one@example.com"), content: .noUser("one@example.com"))

    private static let changes: [ChangeRefusal] = [
        .noAction(app: "lab", noun: "tier", verb: "set"), .noState(app: "lab", name: "x", known: ["a", "b"]),
        .unbound(command: "tier set", []),
        .takesNothing(text: "7"), .noUsers(names: 3, [remark]), .strangers([remark, remark]), .nobody,
        .notOneTestUser(state: "broke", count: 0), .noColumn(settings: "limits", name: "x", known: ["a"]),
        .notAmong(name: "tier", value: "x", choices: ["a"]),
        .outOfRange(name: "days", value: "x", 1...9),
        .noKey(settings: "limits", column: "tier", key: "x", known: ["a"]),
        .changedSincePlan, .noAnswer, .objected(error, step: "the rows"), .refused([remark, remark]),
        .unconfirmed(cause, confirmation: "2"),
        .blocked(cause, RowOwners([remark.subject].compactMap { $0 }, root: [])),
        .stopped(cause, operation: "7", handled: 1, total: 2), .noOwner,
        .foreignSchema(owner: "eve"), .listedTwice(app: "lab", key: "7"), .mayNotInstall(owner: "ann", login: "eve"),
        .markedProduction,
    ]

    private static let inquiries: [InquiryRefusal] = [
        .noApp("x", known: ["a"]), .noneFits(but: [.init(app: "x", relations: ["a.b"])]), .otherApp,
        .alike(["a", "b"]),
        .missing(app: "lab", relations: ["public.people"]), .noTenant(app: "lab", pattern: "shop_%"),
        .noRoot, .realData(environment: "production"), .noCheck("x", known: []),
        .noSettings(app: "lab", nil, known: ["a", "b"]), .noTable(settings: "limits"),
        .noKind(app: "lab", noun: "event"), .noList(app: "lab", noun: "partner", verb: "list"),
        .noFilter(.outcome(of: "access"), "x", known: ["in"]), .noSortColumn("x", known: ["a"]),
        .noOwner(noun: "event"), .noTimes(noun: "event"), .nothingToFind, .noUser("x", near: ["y"], unsearched: ["z"]),
        .noKey("x", type: "uuid"),
        .inexact(
            "7f3a", Identification(noun: nil, column: "id", value: "7f3a1c", key: nil), user: "7f3a1c  one@example.com"),
        .goneUser("x", user: "7"),
        .untied([Identification(noun: "organization", column: "name", value: "Maple", key: "7")]),
        .repeatedUser("7"),
        .severalUsers("x", count: 11, through: nil, first: ["one"]), .noObject(noun: "event", text: "7"),
        .severalObjects("x", key: "id", count: 2, first: ["one", "two"]),
        .noValue(name: "--mood", error, choices: ["glad"]), .noObjectOfFacts(path: "f.json", nil),
        .nullFact(path: "f.json", name: "tier"), .fixedFact("id"), .unknownFact("x", known: ["a"]),
        .notAmong(fact: "tier", value: "x", choices: ["a"]), .outOfRange(fact: "days", value: "99", 1...9),
        .noFact("seen", value: "x", error), .hidden(role: "ann", tables: ["public.people"]),
        .unreadable(.late(error, askedAt: nil)),
    ]

    private static let accounts: [AccountRefusal] = [
        .noKey(table: "public.notes"), .noHeir(table: "public.notes", to: "public.accounts", error),
        .noRootName("a.b.c.d"), .noTable("x", near: "public.y"), .severalTables("x", ["a.x", "b.x"]),
        .noColumn(table: "public.people", "x"), .notUnique(table: "public.people", column: nil, others: ["id"]),
        .otherTable("public.people"), .spread(["public.people"]), .noGuess, .severalGuesses(["a.users", "b.users"]),
        .undescribed(app: "lab"),
        .nobody, .noUsers(table: "public.people", column: "id", ["7"]),
        .noValue(table: "public.people", column: "id", error), .nothingToFind, .unreadable(tables: ["public.people"]),
        .hidden(tables: ["public.people"]), .noSuspectAnswer("x"), .noSuspectColumn("x=keep"), .notSuspected("a.b.c"),
        .severalSuspects("a.b.c", ["a.b.c", "a.b.C"]), .noAnswer("x", known: ["keep"]), .answersNothing("x"),
        .searchedTooLong(columns: ["public.people.note"], because: cause), .file(path: "/tmp/x", .made, code: 17),
        .noPlainFile(path: "/dev/null"),
    ]

    private static let rows = TableRows("public.notes", 2)
    private static let trigger = NamedTrigger("keep", on: "public.notes", calling: "public.keep")

    private static let erasures: [DeletionRefusal] = [
        .noQueue(table: "public.jobs"), .notAdded(table: "public.jobs", why: "Tells.", error),
        .addedGoes(table: "public.jobs"),
        .archiveInBatches, .archiveOfTheRest, .harmfulSetting("storage.x"), .unfinished(operation: "7"),
        .notUnfinished(operation: "7"), .settingsWanted(["app.actor"], operation: "7"),
        .namesPerson,
        .open([.mayNot(MissingRight(.delete, on: "public.notes"))], total: 1),
        .outsideEffects([trigger]), .otherEnvironment, .changedSincePlan([.table("a.b", .keep)]),
        .noIndex(table: "public.notes", remedy: "create index", error),
        .notChanged(table: "public.notes", columns: ["author"], error), .writtenAndChanged(table: "public.notes"),
        .refused(RefusedDeletion(error, place: "public.notes", culprit: trigger, silent: [trigger])),
        .leftBehind([rows], keepers: []),
        .writtenByTriggers(rows, path: "public.notes", error), .remade(["public.drafts"]),
        .partly(cause, operation: "7"),
        .noting(cause, [.helperLeft(index: "public.usher_helper_1")]),
    ]

    private static let archives: [ArchiveRefusal] = [
        .noFile(path: "/tmp/x"), .noArchive(path: "/tmp/x"), .changed(path: "/tmp/x"),
        .otherSeal(path: "/tmp/x", operation: "7"), .restored(by: "7"),
        .elsewhere(path: "/tmp/x", operation: "7", database: "eu1"), .noKey(table: "public.notes"),
        .unrestorable(Failure(ArchiveRefusal.noTable("public.notes"))), .noTable("public.notes"),
        .refused(place: "public.notes", error),
        .thereAgain(table: "public.notes", others: 1, of: 2),
        .movesKey("public.notes.id"), .unreadable(table: "public.notes"), .outsideEffects([trigger]),
        .notBack(table: "public.notes", missing: 1, of: 2),
    ]

    private static let storage: [StorageRefusal] = [
        .noKeyFile, .noKey(path: "/tmp/x"), .notLoopback, .noPort("x"), .answered(status: nil, bucket: "b"),
        .notListening, .noAnswer(seconds: 5), .unreachable(code: 111),
    ]

    /// The name of a case.
    private static func name(_ refusal: any Refusal) -> String {
        String("\(type(of: refusal)).\(refusal)".prefix { $0 != "(" })
    }

    @Test func everyCaseOfEveryRoomIsWordedOnce() throws {
        var declared: [String] = []
        for (file, room) in try Self.sources() where file.hasSuffix("Refusal.swift") {
            let type = String(file.dropLast(".swift".count))
            guard room.contains("enum \(type): ") else { continue }
            for line in room.split(separator: "\n") where line.hasPrefix("    case ") {
                // Several may stand in one line where they carry nothing.
                let names = line.dropFirst("    case ".count).prefix { $0 != "(" }.split(separator: ",")
                declared += names.map { "\(type).\($0.filter { $0 != " " })" }
            }
        }
        #expect(declared.count > 140)
        #expect(Self.refusals.map(Self.name).sorted() == declared.sorted())
    }

    @Test func noneIsLeftWithoutWords() {
        for refusal in Self.refusals {
            let words = (refusal as? any Worded)?.words(Wording())
            #expect(words.map { !$0.complaint.isEmpty && $0.hint != "" } == true, "\(refusal)")
            #expect(words?.complaint.last != "." && words?.hint?.last != ".", "\(refusal)")
        }
    }

    /// The files of the engine by name, with what is in them.
    private static func sources() throws -> [(String, String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        return try ["Asking", "Ledger", "Acts", "Inquiries", "Changes", "Storage", "Accounts", "Grants"].flatMap {
            room in
            let folder = root.appending(path: room)
            let paths = try #require(FileManager.default.enumerator(atPath: folder.path())).compactMap { $0 as? String }
            return try paths.filter { $0.hasSuffix(".swift") }.map { path in
                (
                    URL(filePath: path).lastPathComponent,
                    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                )
            }
        }
    }
}
