package import Changes
import Inquiries
import Ledger
import PQ

extension CompiledApp.Obstacle {
    /// What is not installed, and why.
    package var name: String {
        switch subject {
        case .users: "reading users"
        case .act(.action, let name): name
        case .act(.state, let name): "state \(name)"
        case .act(.setting, let name), .settings(let name): "settings \(name)"
        }
    }

    package var sentence: String {
        switch reason {
        case .server(let error): error.message
        case .noKeyColumn(let name): "\(name) is no column of them"
        case .unknownKeys: "nobody can tell what its keys are"
        case .lacks(let privilege, let subject): "needs \(privilege.rawValue) on \(subject)"
        }
    }
}

extension CompiledApp {
    /// What it is and what of it is missing, a line each.
    package var remarks: [String] {
        ["\(name), \(acts.count) acts of the file \(shortDigest)."]
            + obstacles.map { "Not installed: \($0.name): \($0.sentence)" }
    }
}

extension InstallReport.Remaining {
    /// Why it is left to be done.
    package var sentence: String {
        switch because {
        case .noRole: "this session may not create roles"
        case .inherits(let role, let below): "\(role) may do what \(below) may"
        case .noSchema(let role): "\(role) cannot use the schema"
        case .held(let right): "\(right.sentence), and operators change nothing themselves"
        }
    }
}
