import Asking
internal import AppFile
package import Changes
import Inquiries
import Ledger
import PQ
internal import Terminal

extension CompiledApp.Obstacle {
    /// The name of the action that can't be installed.
    package var name: String { subject.name }

    /// The reason why the action can't be installed.
    package var sentence: String {
        switch reason {
        case .server(let error): error.message
        case .noKeyColumn(let name): "\(name) is not one of its columns"
        case .unknownKeys: "usher can't read its keys"
        case .mistaken(let finding): finding.diagnostic.message
        case .lacks(let privilege, let subject): "the owner lacks \(privilege.rawValue) on \(subject)"
        case .needs(let subject): "depends on \(subject.name), which isn't installed"
        case .hidden(let target): "writes \(target), which usher can't record"
        }
    }
}

extension CompiledApp.Obstacle.Subject {
    fileprivate var name: String {
        switch self {
        case .users: "reading users"
        case .act(.action, let name): name
        case .act(.state, let name): "state \(name)"
        case .act(.setting, let name): "settings \(name)"
        case .decision(let name): "decision \(name)"
        }
    }

    fileprivate var isAct: Bool { if case .act = self { true } else { false } }
}

extension CompiledApp {
    /// The number of installed actions.
    package var extent: String {
        let left = Set(obstacles.map(\.subject).filter(\.isAct)).count
        let file = " of the file \(shortDigest)"
        if left == 0 { return "\(name), \(acts.count.of("action"))\(file)" }
        return "\(name), \(acts.isEmpty ? "none" : "\(acts.count)") of \((acts.count + left).of("action"))\(file)"
    }

    /// The actions that can't be installed, one line per reason.
    package var hindrances: [String] {
        var names: [String: [String]] = [:]
        var order: [String] = []
        for obstacle in obstacles {
            if names[obstacle.sentence] == nil { order.append(obstacle.sentence) }
            names[obstacle.sentence, default: []].append(obstacle.name)
        }
        return order.map { "\(names[$0, default: []].joined(separator: ", ")): \($0)" }
    }

    /// The installed and the missing actions, one line each.
    package var remarks: [String] { [extent + "."] + hindrances.map { "Not installed: \($0)" } }
}

extension InstallReport.Remaining {
    /// The reason why the step is left.
    package var sentence: String {
        switch because {
        case .noRole: "this role can't create roles"
        case .inherits(let role, let below): "\(role) has all rights of \(below)"
        case .noSchema(let role): "\(role) can't use the schema"
        case .held(let right): "\(right.sentence); operators should only change data through usher"
        }
    }
}
