package import PQ

extension Doctor {
    /// How far a connection came that could not be made, step by step.
    package static func contact(_ unreachable: Unreachable) -> [Finding] {
        guard let target = unreachable.target else {
            return [.failed(unreachable.obstacle == .library ? .library : .options, unreachable)]
        }
        var findings: [Finding] = [.target(target)]
        if case .option = unreachable.obstacle { return findings + [.failed(.options, unreachable)] }
        if target.host.hasPrefix("/") || target.host.hasPrefix("@") {
            if unreachable.obstacle.isAtDoor { return findings + [.failed(.socket, unreachable)] }
            findings.append(.passed(.socket, target))
        } else {
            guard target.address != nil else { return findings + [.failed(.name, unreachable)] }
            findings.append(.passed(.name, target))
            if unreachable.obstacle.isAtDoor { return findings + [.failed(.port, unreachable)] }
            findings.append(.passed(.port, target))
        }
        let step = Finding.Step(of: unreachable.obstacle)
        if unreachable.isEncrypted {
            findings.append(.passed(.encryption, target))
        } else if step != .encryption, !target.isLocal {
            findings.append(.transport(.plain, isEncrypted: false, protocolVersion: nil))
        }
        if unreachable.obstacle.isBehindLogin {
            findings.append(unreachable.isPasswordTaken ? .passed(.password, target) : .noPassword)
        }
        if [.permission, .session].contains(unreachable.obstacle) { findings.append(.passed(.database, target)) }
        if unreachable.obstacle == .session { findings.append(.passed(.role, target)) }
        return findings + [.failed(step, unreachable)]
    }
}

extension Finding.Step {
    /// The step that something stands in the way of, once a server was reached.
    fileprivate init(of obstacle: Unreachable.Obstacle) {
        self =
            switch obstacle {
            case .kerberos, .encryption, .authority, .closedAuthority, .certificate: .encryption
            case .missingPassword, .refusedPasswords, .password: .password
            case .database, .closedDatabase: .database
            case .role, .noRole, .lockedRole, .permission: .role
            case .startOptions, .session: .session
            default: .access
            }
    }
}
