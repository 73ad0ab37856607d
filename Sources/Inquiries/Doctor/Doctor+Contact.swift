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
            if unreachable.obstacle == .socket { return findings + [.failed(.socket, unreachable)] }
            findings.append(.passed(.socket, target))
        } else {
            guard target.address != nil else { return findings + [.failed(.name, unreachable)] }
            findings.append(.passed(.name, target))
            if unreachable.obstacle == .network { return findings + [.failed(.port, unreachable)] }
            findings.append(.passed(.port, target))
        }
        if unreachable.isEncrypted { findings.append(.passed(.encryption, target)) }
        if unreachable.isPasswordTaken { findings.append(.passed(.password, target)) }
        let step: Finding.Step =
            switch unreachable.obstacle {
            case .encryption, .authority, .closedAuthority, .certificate: .encryption
            case .missingPassword, .refusedPasswords, .password: .password
            default: .access
            }
        return findings + [.failed(step, unreachable)]
    }
}
