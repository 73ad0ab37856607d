package import Ledger
package import PQ

/// Functions for tests that write any operation into the audit log.
package enum RecordFunctions {
    /// The functions in a separate schema, which the owner of the audit log creates.
    package static var all: [Query] {
        [
            "create schema if not exists recording", "grant usage on schema recording to public", Query(unsafe: record),
            Query(unsafe: recordChanges),
        ]
    }

    private static let record = #"""
        -- Writes one operation, and says whether it did. Who, when and in which transaction are not the caller's to say.
        --
        -- The row `lost` fences an operation off whose connection died: it waits for a commit on its way, and yields to it.
        create or replace function recording.record(
            id uuid, kind text, outcome text, command text, app text, parent uuid, undoes uuid, payload jsonb
        ) returns boolean
        language plpgsql security definer set search_path = pg_catalog, pg_temp
        as $$
        declare
            fresh constant bytea := uuid_send(gen_random_uuid());
            said constant jsonb := coalesce(record.payload, '{}');
        begin
            if jsonb_typeof(said) <> 'object' then
                raise exception 'the payload of an operation is an object' using errcode = 'invalid_parameter_value';
            end if;
            insert into usher.operation as o (id, kind, outcome, command, app, parent, undoes, last, digest, salt, payload)
            values (record.id, record.kind, record.outcome, record.command, record.app, record.parent, record.undoes,
                    case when jsonb_typeof(said -> 'last') = 'number' then (said ->> 'last')::integer end,
                    sha256(fresh || convert_to(said::text, 'UTF8')), fresh, said)
                on conflict on constraint operation_pkey do nothing;
            if not found and record.outcome <> 'lost' then
                raise exception 'operation % is already recorded', record.id using errcode = 'unique_violation';
            end if;
            return found;
        end
        $$;
        """#

    private static let recordChanges = #"""
        -- Writes changed rows of an operation that this very transaction recorded, numbered on from the first.
        create or replace function recording.record_changes(operation uuid, first_ordinal integer, payloads jsonb[])
        returns integer
        language plpgsql security definer set search_path = pg_catalog, pg_temp
        as $$
        declare
            -- The salts come from one random seed that nobody keeps, so that none leads to another; drawing each is slow.
            seed constant bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
            written integer;
        begin
            perform from usher.operation o
              where o.id = record_changes.operation and o.transaction = pg_current_xact_id();
            if not found then
                raise exception 'operation % was not recorded by this transaction', record_changes.operation
                      using errcode = 'insufficient_privilege';
            end if;
            insert into usher.change (operation, ordinal, digest, salt, payload)
            select record_changes.operation, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
              from (select first_ordinal + p.place::integer - 1 as ordinal,
                           substr(sha256(seed || int8send(p.place)), 1, 16) as salt,
                           p.payload
                      from unnest(payloads) with ordinality as p (payload, place)
                    offset 0) c;
            get diagnostics written = row_count;
            return written;
        end
        $$;
        """#
}

extension Ledger {
    /// Records an operation and returns true, or false for a `lost` entry that exists already.
    package static func record(_ entry: Entry, undoing undone: String? = nil) -> Query {
        """
        select recording.record(\(entry.id), \(entry.kind.rawValue), \(entry.outcome.rawValue), \(entry.command),
                              \(entry.app), \(entry.parent), \(undone), \(entry.payload)) as recorded
        """
    }

    /// Records the changed rows of an operation, each as a JSON object.
    ///
    /// The same transaction must have recorded the operation.
    package static func recordChanges(of operation: String, from ordinal: Int, payloads: [String]) -> Query {
        "select recording.record_changes(\(operation), \(String(ordinal)), \(arrayLiteral(payloads))) as changes"
    }
}

extension LedgerSchema {
    /// The statements as one transaction, because the later statements need the settings of the first one.
    package static var transaction: [Query] { ["begin"] + statements + ["commit"] }
}
