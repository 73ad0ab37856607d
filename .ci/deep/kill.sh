#!/usr/bin/env bash
# Interrupts changes at random moments, by signals to the client or by the server. No changed row may lack its row in the audit
# log, and no audit row may lack its change. A resumed bulk change must change each user once.
#
# Usage: .ci/deep/kill.sh [ROUNDS]    with a built usher; the variable USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-100}
said=
usher=${USHER:-.build/debug/usher}
users=60000

fail() {
    echo "kill: $*" >&2
    exit 1
}

[ -x "$usher" ] || fail "$usher is missing; run swift build"
psql=$(ls /usr/lib/postgresql/*/bin/psql 2>/dev/null | tail -n 1) || fail "psql is missing; run .ci/setup"
demo=$("$usher" demo impulse --keep --json -q --no-input </dev/null)
field() { printf '%s\n' "$demo" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
trap 'rm -f "$said"; "$usher" demo --stop "$(field folder)" >/dev/null' EXIT
db=$(field db)
sql() { "$psql" -XAtq "$db user=postgres" -v ON_ERROR_STOP=1 -c "$1"; }
# An array, because the signal would kill the shell of a function instead of usher. `env` restores SIGINT, which a shell ignores
# in its background jobs.
run=(env --default-signal=INT "$usher" -d "$db" --no-input --no-progress)

sql "
insert into auth.users (id, email)
select md5('many' || n)::uuid, 'many' || n || '@example.com' from generate_series(1, $users) n;
insert into public.profiles (id, email, trial_ends_at)
select md5('many' || n)::uuid, 'many' || n || '@example.com', now() - interval '1 hour' from generate_series(1, $users) n
    on conflict (id) do update set trial_ends_at = excluded.trial_ends_at;
create table public.birth as select id, updated_at from public.profiles;
analyze"

# Every write sets updated_at to the time of its transaction. The query returns rows whose updated_at differs from the last
# value in the audit log.
disagreements="
with said as (
    select distinct on (c.payload -> 'key') (c.payload -> 'key' ->> 'id')::uuid as id,
           (c.payload -> 'after' ->> 'updated_at')::timestamptz as at
      from usher.change c join usher.operation o on o.id = c.operation
     where c.payload ->> 'table' = 'public.profiles'
     order by c.payload -> 'key', o.transaction desc
), done as (
    select p.id, p.updated_at as at from public.profiles p join public.birth b using (id) where p.updated_at <> b.updated_at
)
select count(*) from said full join done on done.id = said.id and done.at = said.at where said.id is null or done.id is null"

settled() {
    until [ "$(sql "select count(*) from pg_stat_activity where usename = 'operator'")" = 0 ]; do sleep 0.02; done
    found=$(sql "$disagreements")
    [ "$found" = 0 ] || fail "round $round ($how): $found rows differ from the audit log"
}

# Interrupts the client in the background after a random part of a second.
interfere() {
    sleep "$(awk -v seed=$RANDOM$RANDOM -v most="$1" 'BEGIN { srand(seed); printf "%.3f", rand() * most }')"
    case $how in
    KILL | INT | TERM | HUP) kill -"$how" "$client" 2>/dev/null || true ;;
    terminate | cancel)
        sql "select pg_${how}_backend(pid) from pg_stat_activity where usename = 'operator'" >/dev/null
        ;;
    esac
    { wait "$client" && status=0 || status=$?; } 2>/dev/null
}

ways=(KILL INT TERM HUP terminate cancel)
made=0
for round in $(seq "$rounds"); do
    how=${ways[RANDOM % ${#ways[@]}]}
    user=many$((RANDOM % 20 + 1))@example.com
    if [ "$(sql "select is_partner from public.profiles where email = '$user'")" = t ]; then
        words=(partner revoke "$user" --yes)
    else
        words=(partner grant "$user" --source marketing --yes)
    fi
    before=$(sql "select count(*) from usher.operation where kind = 'change' and outcome = 'committed'")
    "${run[@]}" "${words[@]}" >/dev/null 2>&1 &
    client=$!
    interfere 0.5
    settled
    after=$(sql "select count(*) from usher.operation where kind = 'change' and outcome = 'committed'")
    # If usher reports success, the change must be in the database.
    [ "$status" != 0 ] || [ "$after" -gt "$before" ] || fail "round $round ($how): usher reported success, but the audit log does not have the change"
    made=$((made + after - before))
done
echo "kill: $rounds single changes, of which $made were committed; the audit log has each of them"

round=0
interruptions=0
words=(trial expire --due)
due=$(sql "select count(*) from public.profiles where subscription_tier = 'trial' and subscription_status = 'active' and trial_ends_at <= now()")
resume=()
said=$(mktemp)
parts_written="select count(*) from usher.operation where kind in ('bulk', 'batch')"
while :; do
    round=$((round + 1))
    how=${ways[RANDOM % ${#ways[@]}]}
    "${run[@]}" "${words[@]}" --confirm "$due" "${resume[@]}" >/dev/null 2>"$said" &
    client=$!
    # Waits for another batch, so that the interrupt doesn't always hit the beginning, which takes longest.
    parts=$(sql "$parts_written")
    while kill -0 "$client" 2>/dev/null && [ "$(sql "$parts_written")" = "$parts" ]; do sleep 0.05; done
    if [ "$round" -le 20 ]; then interfere 1; else { wait "$client" && status=0 || status=$?; } 2>/dev/null; fi
    settled
    id=$(sql "select id from usher.operation o where kind = 'bulk' and usher.outcome(id) = 'running'")
    if [ -n "$id" ]; then
        resume=(--resume "$id")
        interruptions=$((interruptions + 1))
    elif [ -n "$(sql "select 1 from usher.operation where kind = 'end'")" ]; then
        break
    fi
    [ "$round" -lt 30 ] || fail "the bulk change did not end after 30 rounds: $(cat "$said")"
done
twice=$(sql "
select count(*) from (select c.payload -> 'key' from usher.change c join usher.operation o on o.id = c.operation
                       where o.kind = 'batch' group by 1 having count(*) > 1) t")
left=$(sql "select count(*) from public.profiles where subscription_tier = 'trial' and subscription_status = 'active' and trial_ends_at <= now() - interval '1 minute'")
[ "$twice" = 0 ] || fail "$twice rows were changed twice"
[ "$left" = 0 ] || fail "the bulk change skipped $left rows"
"${run[@]}" audit verify >/dev/null || fail "the audit log does not verify"
echo "kill: a bulk change of $due users, interrupted $interruptions times and resumed, changed each user once"
