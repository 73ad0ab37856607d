import PQ

extension OtherDatabase {
    /// What a connection string is that is not for Postgres.
    var words: String {
        switch self {
        case .mySQL: "for MySQL or MariaDB"
        case .mongoDB: "for MongoDB"
        case .redis: "for Redis"
        case .sqlite: "for SQLite"
        case .sqlServer: "for SQL Server"
        case .oracle: "for Oracle"
        case .clickHouse: "for ClickHouse"
        case .cockroachDB: "for CockroachDB"
        case .prisma: "for a service of Prisma, which talks to its own library alone"
        case .web: "the address of a page, or of what programs ask over the web"
        }
    }

    static let unknown = "for something else than Postgres, by what it begins with"

    /// What to take in its place.
    static func hint(_ other: OtherDatabase?) -> String {
        let usual = "take the one that begins with postgresql://"
        return switch other {
        case .prisma?: usual + ", by which Prisma reaches the database itself (directUrl, DIRECT_URL)"
        case .web?: usual + ", which the provider shows for psql, or as a connection string"
        default: usual + ", since usher works with Postgres"
        }
    }
}
