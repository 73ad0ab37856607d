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
    /// Which of the histories that a cluster and its copies have had.
    var timeline = ""
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
            identity.timeline = (try? row.text("timeline")) ?? ""
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
    /// Both began as one cluster, and both are written: neither stands for the other.
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
        // Of several the history tells which one it follows, and nobody guesses where that tells nothing.
        let leaders =
            written.count == 1
            ? written : (written.isEmpty ? kin : written).filter { $0.identity.timeline == identity.timeline }
        if written.isEmpty ? !leaders.isEmpty : leaders.count == 1 { return .same(as: leaders[0].member) }
        known.append((identity, member))
        return nil
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
        let (name, other, key): (SafeText, Member, String) =
            switch kinship {
            case .same(as: let other): (SafeText(member.name), other, "same_as")
            case .worker(of: let other): (SafeText(member.name), other, "worker_of")
            case .copy(of: let other): (SafeText(member.name), other, "copy_of")
            }
        if isJSON {
            return note(SafeText(json: JSON([("database", .string(member.name)), (key, .string(other.name))])))
        }
        let second = SafeText(other.name)
        switch kinship {
        case .same: note(name + " and " + second + " are one database; it is asked once")
        case .worker: note(name + " is a worker of " + second + ", which answers for it; it is not asked")
        case .copy:
            note(
                name + " and " + second
                    + " have one origin and are both written: a copy, or a failover that was not finished")
        }
    }
}
