internal import Asking
package import PQ

extension Doctor {
    /// How far a connection came that could not be made, step by step, and what to do at the one that failed.
    package static func contact(_ unreachable: Unreachable) -> [Finding] {
        var findings: [Finding] = []
        func report(_ topic: String, _ message: String) {
            findings.append(Finding(topic: topic, health: .well, message: message, remedy: nil))
        }
        // Of several lines the first says what happened, and the others guess why.
        let reason = unreachable.reason.split(separator: "\n").first.map(String.init) ?? unreachable.reason
        func fail(_ topic: String) {
            findings.append(
                Finding(
                    topic: topic, health: .ill, message: reason, remedy: unreachable.obstacle.remedy))
        }
        guard let target = unreachable.target else {
            fail(unreachable.obstacle == .library ? "libpq" : "options")
            return findings
        }
        report("target", "\(target.database) on \(target.host), port \(target.port), as \(target.user)")
        if target.host.hasPrefix("/") || target.host.hasPrefix("@") {
            if unreachable.obstacle == .socket {
                fail("socket")
                return findings
            }
            report("socket", "a server answers")
        } else {
            guard let address = target.address else {
                fail("name")
                return findings
            }
            report("name", address == target.host ? "an address" : "\(target.host) is \(address)")
            if unreachable.obstacle == .network {
                fail("port")
                return findings
            }
            report("port", "a server answers")
        }
        switch unreachable.obstacle {
        case .encryption, .authority, .certificate: fail("TLS")
        case .missingPassword, .password: fail("password")
        default: fail("access")
        }
        return findings
    }
}
