package import Asking
package import Catalog
package import Ledger
package import PQ

/// One thing that was looked at, in facts; what it is called and what helps is worded where it is shown.
package enum Finding: Sendable, Hashable {
    package enum Health: String, Sendable, CaseIterable { case well, doubtful, ill }

    /// A connection string that is not used, since a variable stands before it.
    case overruledDatabaseURL(by: [String])
    // The way to the server, where no connection could be made.
    case target(Unreachable.Target)
    case failed(Unreachable)
    // The connection.
    case connection(database: String, address: String, version: String, login: String)
    /// The trust in the connection, and its TLS protocol.
    case transport(Connection.Transport, isEncrypted: Bool, protocolVersion: String?)
    /// The name of the server software, and its consequence.
    case engine(String, follows: String?)
    case noPooler
    /// Something stands between, of which the name is known or not.
    case pooler(String?, follows: String?)
    /// Statements are not sent together.
    case noPipelines
    /// Answers to what is sent together do not come.
    case lostPipelines
    case readOnly(ReadOnlySession)
    /// So many tables lie on so many other servers.
    case spread(tables: Int, nodes: Int)
    /// One of them does not answer.
    case silent(server: String, because: String, withoutRole: String?)
    /// One of them takes the call, and says nothing in the time there is.
    case mute(server: String)
    /// One of them does not know operators, or not what they are members of; the statements that tell it.
    case strangers(server: String, remedies: [String])
    /// By how many seconds this machine and the server differ, 0 where by less than can be told.
    case clock(apart: Int)
    // The role.
    case role(String, isSuperuser: Bool)
    case rowSecurity(role: String, isBypassed: Bool)
    case noTemporaryTables(database: String, role: String)
    case noCounters
    case environment(Environment)
    // The app.
    /// None is chosen, and why.
    case noApp(Failure)
    /// The app that fits, and what it could do without.
    case app(name: String, title: String, digest: String, without: [String])
    case missingTables([Relation])
    case unreadableTables([Relation], role: String)
    case hiddenRows([Relation], role: String)
    case readable(tables: Int, role: String)
    /// It fits, and some of it was not looked at for all users.
    case appFile(unchecked: AppCheck.Obstacle?)
    /// The first mistake, and the number of findings.
    case mistaken(AppFinding, count: Int, isError: Bool)
    // The audit, and what is installed.
    case noLedger(ofSchemas: Bool)
    case otherLedger(version: Int)
    case noRecording(Failure)
    case unknownSeals
    case ledger(version: Int, unsealed: Int)
    case lateSealing(LateSealing)
    case held(HeldRight)
    /// The SQL that closes the search path of actions; until then no action runs.
    case openPath(remedies: [String])
    case noActs(app: String)
    case acts(String, date: String)
    /// Those of another version of the app file.
    case otherActs(date: String)
    case reader(SessionReader)
    /// Settings that functions read and that no act empties.
    case settings([String])
    /// Functions that read settings whose names they work out.
    case unknownSettings(of: [String])
    // What slows it down.
    case slowLookUp(MissingIndex, remedy: String)
    case computedAddresses
    case lookUps
    case unindexed(UnindexedReference)
    case moreUnindexed(Int)
    case indexes

    package var health: Health {
        switch self {
        case .failed, .lostPipelines, .silent, .mute, .strangers, .noApp, .missingTables, .unreadableTables,
            .hiddenRows, .held, .openPath, .settings:
            .ill
        case .mistaken(_, _, let isError): isError ? .ill : .doubtful
        case .overruledDatabaseURL, .readOnly, .spread, .noTemporaryTables, .noCounters, .noLedger, .otherLedger,
            .noRecording, .unknownSeals, .lateSealing,
            .noActs, .otherActs, .reader, .unknownSettings, .slowLookUp,
            .computedAddresses, .unindexed, .moreUnindexed:
            .doubtful
        case .transport(.unnamed, _, _), .transport(.unverified, _, _), .transport(.plain, _, _): .doubtful
        case .clock(let apart): apart == 0 ? .well : .doubtful
        case .role(_, let isSuperuser): isSuperuser ? .doubtful : .well
        case .environment(let environment): environment.doubt == nil ? .well : .doubtful
        case .target, .connection, .transport, .engine, .noPooler, .pooler, .noPipelines,
            .rowSecurity, .app,
            .readable, .appFile, .ledger, .acts, .lookUps, .indexes:
            .well
        }
    }
}
