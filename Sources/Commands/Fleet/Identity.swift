import Asking
import Catalog
import PQ
import Terminal

/// Which database a server says that it is; the same for every way that leads to one, and for a standby of it.
struct Identity: Sendable, Hashable {
    /// The cluster and the database in it; a copy of the cluster has the same.
    let name: String
    /// When the server began, by which a copy that runs beside it is told from it.
    var started = ""
    /// Which of the histories that a cluster and its copies have had; later ones have higher numbers.
    var timeline = 0
    /// Whether nothing can be changed this way.
    var isStandby = false
    /// Of a worker of Citus what its coordinator is called.
    var coordinator: String?

    /// Whether another member may stand for it, which is known once the others are.
    var isFollower: Bool { isStandby || coordinator != nil }

    /// That of a connection; nil where the server does not tell, and where members are schemas of one.
    static func of(_ context: Context, _ connection: Connection) throws(Failure) -> Identity? {
        context.options.schema != nil ? nil : try of(connection, timeout: context.options.timeout)
    }

    /// The same of a database, whatever is a member.
    static func of(_ connection: Connection, timeout: Double) throws(Failure) -> Identity? {
        do throws(PQError) {
            let answers = try connection.pipeline(
                [[Query(file: "catalog/identity.sql")], [ReadOnlySession.question]], timeout: timeout)
            guard let row = try? answers[0][0].get().only(), let name = try? row.text("identity") else { return nil }
            var identity = Identity(name: name, isStandby: connection.isStandby)
            identity.started = (try? row.text("started")) ?? ""
            identity.timeline = (try? row.text("timeline")).flatMap { Int($0) } ?? 0
            if case .worker? = try? ReadOnlySession(answers[1][0].get().only()) {
                let answer = try connection.pipeline([[Query(file: "catalog/coordinator.sql")]], timeout: timeout)[0][0]
                identity.coordinator = try? answer.get().only().text("identity")
            }
            return identity
        } catch {
            throw Failure(error)
        }
    }
}

/// What a member of a fleet is to another one.
enum Kinship: Sendable, Hashable {
    /// One database, or a standby of it: the other is asked.
    case same(as: Member)
    /// A part of the other, which answers for all of its parts.
    case worker(of: Member)
    /// A standby that follows one of several, and nobody knows which: they are asked.
    case standby(ofOne: [Member])
    /// Both began as one cluster, and went on alone: neither stands for the other.
    case copy(of: Member)

    /// Whether the other one is asked in its place.
    var isAskedElsewhere: Bool { if case .copy = self { false } else { true } }
}

/// The databases of a fleet, as far as they have told which they are: those that are written first, then those that follow.
struct Lineages {
    private var known: [(identity: Identity, member: Member)] = []

    /// Notes which database a member is, and returns what it is to another member.
    mutating func add(_ identity: Identity, of member: Member) -> Kinship? {
        if let name = identity.coordinator, let other = known.first(where: { $0.identity.name == name })?.member {
            return .worker(of: other)
        }
        let kin = known.filter { $0.identity.name == identity.name }
        if let same = kin.first(where: { $0.identity.started == identity.started })?.member { return .same(as: same) }
        let written = kin.filter { !$0.identity.isStandby }
        guard identity.isStandby else {
            known.append((identity, member))
            return written.first.map { .copy(of: $0.member) }
        }
        // It is late, and never ahead of what it follows; of several its history tells which that is.
        let ahead = written.filter { $0.identity.timeline >= identity.timeline }
        let alike = (written.isEmpty ? kin : ahead).filter { $0.identity.timeline == identity.timeline }
        let leaders = alike.isEmpty ? ahead : alike
        if ahead.count > 1, leaders.count > 1 { return .standby(ofOne: leaders.map(\.member)) }
        if let leader = leaders.first { return .same(as: leader.member) }
        known.append((identity, member))
        return kin.first.map { .copy(of: $0.member) }
    }

    /// What members are to each other, all of which have told who they are, or never will.
    static func kinships(_ members: [(member: Member, identity: Identity?)]) -> [Member: Kinship] {
        var lineages = Lineages()
        var kinships: [Member: Kinship] = [:]
        let known = members.compactMap { member, identity in identity.map { (member, $0) } }
        for (member, identity) in known.filter({ !$0.1.isFollower }) + known.filter({ $0.1.isFollower }) {
            kinships[member] = lineages.add(identity, of: member)
        }
        return kinships
    }
}

extension Context {
    /// Says what a member is to another, in every format, since what is added up depends on it.
    func say(_ member: Member, _ kinship: Kinship) { screen.say(member, kinship, inJSON: options.format.isJSON) }
}

extension Screen {
    func say(_ member: Member, _ kinship: Kinship, inJSON isJSON: Bool) {
        let name = SafeText(member.name)
        let (key, others, sentence): (String, JSON, SafeText) =
            switch kinship {
            case .same(as: let other):
                (
                    "same_as", .string(other.name),
                    name + " and " + SafeText(other.name) + " are one database; it is asked once"
                )
            case .worker(of: let other):
                (
                    "worker_of", .string(other.name),
                    name + " is a worker of " + SafeText(other.name) + ", which answers for it; it is not asked"
                )
            case .standby(ofOne: let others):
                (
                    "standby_of_one", .array(others.map { .string($0.name) }),
                    name + " is a standby, and may follow any of " + SafeText(Fleet.list(others))
                        + "; these are asked"
                )
            case .copy(of: let other):
                (
                    "copy_of", .string(other.name),
                    name + " and " + SafeText(other.name)
                        + " have one origin and went on alone, so each counts: a copy, or an unfinished failover"
                )
            }
        note(isJSON ? SafeText(json: JSON([("database", .string(member.name)), (key, others)])) : sentence)
    }
}
