import AppFile
import Asking
import Changes
import Glibc
import Inquiries
import PQ
import Support
import Testing

/// Every action of every app on its sample data: a dry run is the real one, and undoing is exact.
///
/// It takes minutes, so `.ci/deep/actions.sh` runs it.
@Suite(.enabled(if: !deepApps.isEmpty)) struct AppActionTests {
    /// A change that is not refused, found by trying.
    private struct Trial {
        let request: ChangeRequest
        let plan: ChangeReport
    }

    @Test(arguments: deepApps) func everyActionIsWhatItSaysAndCanBeTakenBack(name: String) throws {
        let lab = try ChangeLab(sample: name)
        let connection = try lab.connect()
        var held = 0
        for action in lab.app.actions {
            // Some are for situations that few of the sample are in; not everybody is tried.
            guard let trial = try find(action, in: lab, on: connection) else { continue }
            try hold(trial, "\(name): \(action.noun) \(action.verb)", isFinal: action.isFinal, in: lab)
            held += 1
        }
        #expect(held > 0, "\(name)")
        #expect(try lab.isIntact())
    }

    @Test(arguments: deepApps) func everyStateLeadsToWhatItPromises(name: String) throws {
        let lab = try ChangeLab(sample: name)
        let connection = try lab.connect()
        var held = 0
        for state in lab.app.states {
            var request = ChangeRequest(.state(state.name))
            var found: Trial?
            for user in try subjects(of: .users, in: lab) where found == nil {
                request.subjects = [user]
                found = try plan(request, in: lab, on: connection)
            }
            guard let trial = found else { continue }
            held += 1
            for expectation in state.expects {
                let answers = trial.plan.decisions.filter { $0.name == expectation.decision }
                #expect(!answers.isEmpty, "\(name): \(state.name)")
                for answer in answers {
                    #expect(expectation.outcomes.contains(answer.after ?? ""), "\(name): \(state.name)")
                }
            }
            try hold(trial, "\(name): state \(state.name)", isFinal: false, in: lab)
        }
        #expect(held > lab.app.states.count / 2, "\(name)")
        #expect(try lab.isIntact())
    }

    /// Runs it, takes it back, does it again, and takes that back.
    private func hold(_ trial: Trial, _ title: String, isFinal: Bool, in lab: ChangeLab) throws {
        let before = try lab.digests()
        let operations = try lab.operations()
        #expect(try lab.plan(trial.request).shape == trial.plan.shape, "\(title)")
        #expect(try lab.digests() == before, "\(title): a dry run leaves nothing")
        #expect(try lab.operations() == operations, "\(title): a dry run leaves nothing")

        let report = try lab.run(trial.request)
        #expect(report.shape == trial.plan.shape, "\(title)")
        #expect(report.decisions == trial.plan.decisions, "\(title)")
        let operation = try #require(report.operation, "\(title)")
        #expect(
            try lab.value("select usher.outcome(id) from usher.operation where id = '\(operation)'") == "committed")
        #expect(
            try lab.value("select count(*) from usher.change where operation = '\(operation)'")
                == String(report.changes.count))
        let after = try lab.digests()
        #expect(after != before, "\(title)")

        if isFinal {
            #expect(try failure { try lab.undo(operation) }.kind == .refused, "\(title)")
            return
        }
        let gone = try secrets(in: report, .delete, of: lab)
        if !gone.isEmpty {
            let refusal = try failure { try lab.undo(operation) }
            #expect(refusal.kind == .refused && gone.contains(where: refusal.message.contains), "\(title)")
            return
        }
        do {
            let undone = try lab.undo(operation)
            expectSame(try lab.digests(), before, "\(title): undone")
            let new = try secrets(in: report, .insert, of: lab)
            if !new.isEmpty {
                let refusal = try failure { try lab.undo(undone.operation) }
                #expect(refusal.kind == .refused && new.contains(where: refusal.message.contains), "\(title)")
                return
            }
            let again = try lab.undo(undone.operation)
            expectSame(try lab.digests(), after, "\(title): undone and done again")
            _ = try lab.undo(again.operation)
            expectSame(try lab.digests(), before, "\(title): undone for good")
        } catch let error as Failure {
            Issue.record("\(title): \(error.message) \(error.details)")
        }
    }

    /// Columns that are never recorded, of tables that rows were deleted from or inserted into.
    private func secrets(in report: ChangeReport, _ kind: RowChange.Kind, of lab: ChangeLab) throws -> [String] {
        let tables = Set(report.changes.filter { $0.kind == kind }.map(\.table))
        let columns = (lab.app.account?.secrets ?? []).map { $0.column.split(separator: ".").map(String.init) }
        return columns.filter { $0.count == 3 && tables.contains("\($0[0]).\($0[1])") }.map { $0[2] }
    }

    private func expectSame(_ found: [String: String], _ expected: [String: String], _ title: String) {
        let others = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        #expect(others.isEmpty, "\(title): \(others)")
    }

    // MARK: Trying

    /// Tries parameters on all subjects at once, and takes one for which the action does something.
    private func find(_ action: App.Action, in lab: ChangeLab, on connection: Connection) throws -> Trial? {
        let subjects = try subjects(of: action.subject, in: lab)
        for values in try choices(action.parameters, in: lab) {
            var request = ChangeRequest(.action(noun: action.noun, verb: action.verb))
            request.values = values
            request.subjects = subjects
            guard action.subject != .nothing else {
                if let trial = try plan(request, in: lab, on: connection) { return trial }
                continue
            }
            guard let all = try plan(request, in: lab, on: connection) else { continue }
            let lines = all.plan.lines.joined(separator: "\n")
            let changed = all.plan.subjects.map(\.key)
            for subject in (changed.filter(lines.contains) + changed).prefix(3) {
                request.subjects = [subject]
                if let trial = try plan(request, in: lab, on: connection) { return trial }
            }
        }
        return nil
    }

    /// A plan that is not refused and writes something that a trigger alone would not.
    private func plan(_ request: ChangeRequest, in lab: ChangeLab, on connection: Connection) throws -> Trial? {
        do {
            let plan = try lab.plan(request, on: connection)
            let writes = plan.changes.contains { change in change.columns.contains { !$0.isRewritten } }
            return writes ? Trial(request: request, plan: plan) : nil
        } catch let refusal as Failure where [.refused, .failed].contains(refusal.kind) {
            return nil
        }
    }

    private func subjects(of subject: App.Subject, in lab: ChangeLab) throws -> [String] {
        let list: Listing
        let key: String
        switch subject {
        case .nothing: return []
        case .users:
            list = try Listing.users(
                UserFilter(), on: try lab.connect(), candidates: [lab.app], options: InquiryOptions())
            key = lab.app.users.key
        case .object(let noun):
            list = try Listing.objects(
                noun, ObjectsWanted(), on: try lab.connect(), candidates: [lab.app], options: InquiryOptions())
            key = lab.app.objects.first { $0.noun == noun }?.key ?? ""
        }
        var keys: [String] = []
        _ = try list.stream { row in if let text = row.copy().shown(key)?.text { keys.append(text) } }
        return Array(keys.prefix(60))
    }

    /// What an operator might give: what is required, then with each option besides.
    private func choices(_ parameters: App.Parameters, in lab: ChangeLab) throws -> [[String: String]] {
        var choices: [[String: String]] = [[:]]
        for parameter in parameters.all
        where parameter.isSecret || !parameter.isOptional && parameter.defaultValue == nil {
            let values = try self.values(for: parameter, in: lab)
            choices = choices.flatMap { choice in values.map { choice.merging([parameter.name: $0]) { $1 } } }
        }
        let optional = try parameters.all.filter { $0.isOptional && !$0.isSecret }.flatMap { parameter in
            try values(for: parameter, in: lab).flatMap { value in
                choices.map { $0.merging([parameter.name: value]) { $1 } }
            }
        }
        return choices + optional
    }

    private func values(for parameter: ParameterDeclaration, in lab: ChangeLab) throws -> [String] {
        if let choice = parameter.choices.first { return [choice] }
        if parameter.isSecret { return ["OPEN-SESAME-2026", "another code"] }
        if let subject = parameter.names { return Array(try subjects(of: subject, in: lab).prefix(40)) }
        switch parameter.type {
        case "timestamptz": return ["2037-01-01 00:00:00+00"]
        case "text":
            // Addresses of many, of whom some are in the same organisation as others.
            let addresses = try lab.rows("select email from auth.users order by md5(email) limit 40")
            return ["something new"] + addresses.compactMap { $0[0] }
        case "public.store_state": return ["loading"]
        case "interval": return ["3 days"]
        case "uuid": return []
        default: return ["7"]
        }
    }
}

/// The apps to try, from `USHER_DEEP`: their names, or `all`.
private let deepApps: [String] = {
    guard let text = unsafe getenv("USHER_DEEP").map({ unsafe String(cString: $0) }) else { return [] }
    return text == "all" ? AppLibrary.names : text.split(separator: ",").map(String.init)
}()
