import AppFile
import Asking
import CommandLine

/// A member of a fleet: one of several databases, or one of several schemas.
struct Member: Sendable, Hashable {
    /// The name in the fleet, and in the column `database` of every row.
    let name: String
    /// The connection string, as for `--db`; nil for the default.
    var database: String?
    var labels: [String] = []
    var schema: String?

    static let column = "database"
}

/// The databases or schemas in which a command runs, in the given order.
struct Fleet: Sendable {
    let members: [Member]
    var isOfSchemas = false

    var noun: String { isOfSchemas ? "schema" : "database" }

    func member(_ name: String) -> Member? { members.first { $0.name == name } }

    /// Parses the value of `--fleet`: a file, or names of services or databases such as `eu1,eu2`.
    static func parse(_ text: String) throws(Failure) -> Fleet {
        if text.contains("/") { return Fleet(members: try FleetFile.members(in: text)) }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if names.count == 1, FleetFile.exists(text) { return Fleet(members: try FleetFile.members(in: text)) }
        var members: [Member] = []
        for name in names {
            guard isName(name) else {
                throw Failure(
                    .usage,
                    name.isEmpty
                        ? "--fleet contains an empty name"
                        : "the name \(Secrets.masked(name)) in --fleet contains a space or one of = [ ] : @",
                    hint: "write names of services or databases, as in eu1,eu2, or a file; see `usher help fleet`")
            }
            guard !members.contains(where: { $0.name == name }) else {
                throw Failure(.usage, "--fleet names \(name) twice", hint: "remove one of the two names")
            }
            members.append(Member(name: name, database: name))
        }
        return Fleet(members: members)
    }

    /// True if a word can be the name of a member.
    static func isName(_ word: String) -> Bool {
        !word.isEmpty && !word.contains { $0.isWhitespace || ",=[]:/@".contains($0) }
    }

    /// The members with all of these labels; if a name is given, only the member with this name.
    func narrowed(to labels: [String], named name: String?) throws(Failure) -> Fleet {
        var chosen = members
        for label in labels {
            guard members.contains(where: { $0.labels.contains(label) }) else {
                let known = Set(members.flatMap(\.labels)).sorted().joined(separator: ", ")
                throw Failure(
                    .usage, "no database of the fleet has the label \(label)",
                    hint: known.isEmpty
                        ? "remove --only, because the \(noun)s have no labels" : "choose one of: \(known)")
            }
            chosen = chosen.filter { $0.labels.contains(label) }
        }
        if let name {
            guard let member = member(name) else {
                let near = didYouMean(Nearest.names(to: name, among: members.map(\.name)))
                throw Failure(
                    .usage, "the fleet has no \(noun) \(name)", hint: near ?? "choose one of: \(Self.list(members))")
            }
            guard chosen.contains(member) else {
                throw Failure(
                    .usage, "\(name) doesn't have the labels \(labels.joined(separator: ", "))",
                    hint: "remove --only or --member")
            }
            chosen = [member]
        }
        guard !chosen.isEmpty else {
            throw Failure(
                .usage, "no database of the fleet has the labels \(labels.joined(separator: " and "))",
                hint: "choose fewer labels with --only")
        }
        return Fleet(members: chosen, isOfSchemas: isOfSchemas)
    }

    static func list(_ members: [Member]) -> String { members.map(\.name).listed(most: 20) }
}

extension GlobalOptions {
    /// The options of a command at a member; for a schema, the app in the command replaces `--app`.
    func at(_ member: Member, for invocation: Invocation? = nil) -> GlobalOptions {
        var options = self
        (options.database, options.fleet, options.only, options.member) = (member.database, nil, [], member.name)
        options.schema = member.schema
        if member.schema != nil { options.app = invocation?.app ?? options.app }
        return options
    }

    package func alone(at database: String) -> GlobalOptions {
        var options = self
        (options.database, options.fleet, options.only, options.member) = (database, nil, [], nil)
        return options
    }
}
