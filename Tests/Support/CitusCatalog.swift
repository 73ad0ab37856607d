import Ledger
import PQ

extension TestDatabase {
    /// Installs the functions for Citus, as the owner of the schema if there is one.
    package func installCitusFunctions() throws {
        let connection = try connect()
        let owner = try connection.execute(
            "select n.nspowner::regrole::text as owner from pg_namespace n where n.nspname = 'usher'"
        ).first?.shown("owner")?.text
        guard let owner else { return }
        _ = try connection.execute("set role \(unsafe: owner)")
        for statement in LedgerSchema.statements(of: LedgerSchema.citus) { _ = try connection.execute(statement) }
        _ = try connection.execute(
            "revoke all on function usher.server_clauses(), usher.refuse_strange(jsonb, jsonb), usher.returning_sql(jsonb, oid) from public"
        )
        let eraser = try connection.execute("select 1 from pg_roles r where r.rolname = 'usher_eraser'")
        if eraser.first != nil {
            _ = try connection.execute("grant execute on function usher.server_clauses() to usher_eraser")
        }
    }

    /// Creates the catalog of Citus for these tables, whose rows stay in this database.
    package func spreads(_ tables: [String], installs: Bool = true) throws {
        try run(
            "set allow_system_table_mods = on",
            """
            create table pg_catalog.pg_dist_partition
                (logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char")
            """,
            "grant select on pg_catalog.pg_dist_partition to public",
            """
            create table pg_catalog.pg_dist_node
                (nodeid integer, groupid integer, isactive boolean, nodename text default 'one', nodeport integer default 5432)
            """,
            "create table pg_catalog.pg_dist_local_group (groupid integer)",
            """
            create function pg_catalog.run_command_on_workers
                (command text, parallel boolean, out nodename text, out nodeport integer, out success boolean, out result text)
            returns setof record language plpgsql as $$ begin
                for nodename, nodeport in select n.nodename, n.nodeport from pg_catalog.pg_dist_node n where n.groupid > 0 loop
                    success := nodeport = 5432;
                    result := 'connection refused';
                    if success then execute command into result; end if;
                    return next;
                end loop;
            end $$
            """,
            "create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint)",
            "create table pg_catalog.pg_dist_placement (shardid bigint, groupid integer)",
            """
            create function pg_catalog.column_to_column_name(regclass, text) returns text language sql as 'select null::text'
            """,
            "create function pg_catalog.shard_name(regclass, bigint) returns text language sql as 'select $1::text || $2'",
            """
            create function pg_catalog.citus_shard_sizes(out shard_id integer, out size bigint) returns setof record
            language sql as $$
                select s.shardid::integer,
                       pg_relation_size(c.oid) + 8192 * ((c.reltoastrelid <> 0)::int
                           + 2 * (select count(*) from pg_catalog.pg_index i where i.indrelid = c.oid))
                  from pg_catalog.pg_dist_shard s join pg_catalog.pg_class c on c.oid = s.logicalrelid $$
            """,
            "insert into pg_catalog.pg_dist_node values (1, 0, true), (2, 1, true), (3, 2, true)",
            "insert into pg_catalog.pg_dist_local_group values (0)",
            """
            grant select on pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_node, pg_catalog.pg_dist_shard,
                            pg_catalog.pg_dist_placement to public
            """)
        for table in tables {
            try run(
                "insert into pg_catalog.pg_dist_partition values ('\(table)'::regclass, 'h', null, 1, 's')",
                "insert into pg_catalog.pg_dist_shard values ('\(table)'::regclass, '\(table)'::regclass::oid::bigint)")
        }
        if installs { try installCitusFunctions() }
    }
}
