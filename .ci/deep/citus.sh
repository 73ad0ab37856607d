#!/usr/bin/env bash
# Compares Citus (a coordinator and two workers) with plain Postgres on the same rows of Impulse. Every command must print the
# same result and leave the same rows. A command that Citus can't run must be refused with its name, and must change nothing.
#
# Usage: .ci/deep/citus.sh FOLDER [USERS]    FOLDER: the argument of `make install DESTDIR=FOLDER` for a built Citus;
#                                            USERS: users in addition to the six hundred of the demo
#        .ci/deep/citus.sh --without-citus   only prints that the suite is skipped; the variable USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "citus: $*" >&2
    exit 1
}

if [ "${1:-}" = --without-citus ]; then
    echo 'skipped: no folder with a built Citus is given'
    exit 0
fi
folder=${1:-}
users=${2:-1000}
[ -n "$folder" ] || fail 'name a folder with a built Citus, or add --without-citus'
usher=$(realpath "${USHER:-.build/debug/usher}")
[ -x "$usher" ] || fail "$usher is missing; run swift build"
version=$(basename "$(dirname "$(dirname "$(find "$folder" -name citus.so | head -n 1)")")")
[ -n "$version" ] && [ -d "/usr/lib/postgresql/$version" ] || fail "$folder has no citus.so for a Postgres version of this machine"
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u postgres --); fi
work=$(mktemp -d)
chmod 755 "$work"
mkdir -p "$work/tree/lib/postgresql" "$work/tree/share/postgresql" "$work/s"
# Postgres finds its files relative to its program, so the extension goes into a copy and the machine stays unchanged.
cp -r "/usr/lib/postgresql/$version" "$work/tree/lib/postgresql/"
cp -r "/usr/share/postgresql/$version" "$work/tree/share/postgresql/"
cp -r "$folder/usr/lib/postgresql/$version/." "$work/tree/lib/postgresql/$version/"
cp -r "$folder/usr/share/postgresql/$version/." "$work/tree/share/postgresql/$version/"
bin=$work/tree/lib/postgresql/$version/bin
if [ "$(id -u)" = 0 ]; then chown -R postgres "$work/s"; fi
clean() {
    for data in "$work"/s/[cw]*; do
        if [ -d "$data" ]; then "${as[@]}" "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true; fi
    done
    rm -rf "$work"
}
trap clean EXIT
# Finds free TCP ports for the coordinator and the two workers.
free() {
    python3 -c 'import socket
held = [socket.socket() for _ in range(3)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])'
}
read -r one two three < <(free)
serve() {
    "${as[@]}" "$bin/initdb" -D "$work/s/$1" -A trust -U postgres >/dev/null
    "${as[@]}" "$bin/pg_ctl" -D "$work/s/$1" -w -l "$work/s/$1.log" -o "-c listen_addresses=127.0.0.1 -k $work/s -p $2 \
        -c fsync=off -c shared_preload_libraries=citus -c wal_level=logical" start >/dev/null
}
serve c "$one"
serve w1 "$two"
serve w2 "$three"
# Sends each statement separately, because Citus requires that.
sql() { "$bin/psql" -XqAt -v ON_ERROR_STOP=1 -h "$work/s" -p "$1" -U postgres -d "$2" <<<"$3" >/dev/null; }
sql "$one" postgres 'create database plain'
for port in "$one" "$two" "$three"; do
    sql "$port" postgres 'create database spread'
    sql "$port" spread 'create extension citus'
done
sql "$one" spread "select citus_set_coordinator_host('127.0.0.1', $one)"
for port in "$two" "$three"; do sql "$one" spread "select citus_add_node('127.0.0.1', $port)"; done
load() { sql "$one" "$1" "$(cat "${@:2}")"; }
load plain sql/demo/supabase_schema.sql sql/demo/impulse_schema.sql sql/demo/impulse_sample.sql .ci/deep/citus/keys.sql
sql "$one" plain "
    insert into auth.users (id, email, created_at)
    select md5('added ' || i)::uuid, 'added' || i || '@example.net', now() - interval '60 days' from generate_series(1, $users) i;
    insert into public.profiles (id, email, subscription_status, trial_started_at, trial_ends_at)
    select md5('added ' || i)::uuid, 'added' || i || '@example.net', case when i % 60 between 6 and 29 then 'expired' else 'active' end,
           now() - interval '60 days', now() + (i % 60 - 30) * interval '1 day' + interval '1 hour'
      from generate_series(1, $users) i;
    insert into public.impulse_quota (user_id, impulses_used, check_ins_used)
    select md5('added ' || i)::uuid, i % 3, i % 2 from generate_series(1, $users, 2) i;
    insert into public.impulses (id, user_id, title, created_at)
    select md5('impulse ' || i)::uuid, md5('added ' || i)::uuid, 'of ' || i, now() - interval '9 days' from generate_series(1, $users, 2) i"
load spread sql/demo/supabase_schema.sql sql/demo/impulse_schema.sql .ci/deep/citus/keys.sql
# The sample data depends on the current hour, so both databases get a copy of the same rows.
"$bin/pg_dump" -h "$work/s" -p "$one" -U postgres -a --disable-triggers -n auth -n public -n storage -T public.subscription_config plain \
    >"$work/rows.sql"
load spread "$work/rows.sql"
load spread .ci/deep/citus/spread.sql
for database in plain spread; do load $database .ci/deep/citus/references.sql; done
mkdir "$work/app"
cp -r sql/apps/impulse sql/apps/impulse.sql "$work/app/"
sed -i -f .ci/deep/citus/app.sed "$work/app/impulse/webhooks.sql"
# Citus can't join users by their names, so this copy has no panel of accounts with the same name.
sed -i '/^-- @panel Possible other accounts/,/^$/d' "$work/app/impulse/screens.sql"
export USHER_APP=$work/app/impulse.sql
plain="host=$work/s port=$one dbname=plain user=postgres"
spread="host=$work/s port=$one dbname=spread user=postgres"
# Installs `usher` in plain Postgres first: this creates the roles through a database that Citus doesn't manage.
for database in "$plain" "$spread"; do
    "$usher" -d "$database" install --environment test --yes --no-input >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
done

# Replaces random ids and times, and sorts the rows, because these differ from database to database.
cat >"$work/same.py" <<'PY'
import json, re, sys
def plain(value):
    if isinstance(value, dict): return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list): return sorted((plain(v) for v in value), key=lambda v: json.dumps(v, sort_keys=True))
    if not isinstance(value, str): return value
    for pattern, word in ((r"20\d\d-\d\d-\d\d[T ][0-9:.]+(Z|\+00:00|\+00)?", "TIME"), (r"(-?\d+ days? )?-?\d\d:\d\d:\d\d\.\d+", "SPAN"), (r"\b(plain|spread)\b", "DATABASE"),
                          (r"\b[0-9a-f]{16}\b", "FINGERPRINT")):
        value = re.sub(pattern, word, value)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", lambda m: m[0] if m[0] in known else "ID", value)
known = set(open(sys.argv[1]).read().split())
text = sys.stdin.read()
try: print(json.dumps(plain(json.loads(text)), indent=1, sort_keys=True))
except ValueError: print("\n".join(sorted(plain(line) for line in text.splitlines())))
PY
"$bin/psql" -XqAt -h "$work/s" -p "$one" -U postgres -d plain -c 'select id from auth.users' >"$work/known"
normal() { python3 "$work/same.py" "$work/known"; }

# The processor time of the three servers in hundredths of a second, with ended and with running processes.
worked() {
    python3 - "$work/s" <<'PY'
import os, sys
def fields(pid):
    text = open(f"/proc/{pid}/stat").read()
    return text[text.rindex(")") + 2:].split()
servers = [int(open(f"{sys.argv[1]}/{name}/postmaster.pid").readline()) for name in ("c", "w1", "w2")]
total = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: own = fields(pid)
    except (OSError, ValueError): continue
    if int(pid) in servers: total += sum(map(int, own[11:15]))
    elif int(own[1]) in servers: total += int(own[11]) + int(own[12])
print(total)
PY
}
failed=0
row() { printf '%-60s %s\n' "$1" "$2"; }
same() {
    local status=0 wanted=0 began between ended
    began=$(worked)
    "$usher" -d "$plain" "$@" </dev/null 2>"$work/plain.err" >"$work/plain.out" || wanted=$?
    between=$(worked)
    "$usher" -d "$spread" "$@" </dev/null 2>"$work/errors" >"$work/spread.out" || status=$?
    ended=$(worked)
    if [ $status = $wanted ] && diff <(normal <"$work/plain.out") <(normal <"$work/spread.out") >"$work/diff"; then
        row "$*" "as plain Postgres, exit $status, hundredths of a second: $((between - began)) and $((ended - between))"
    else
        row "$*" "DIFFERENT RESULT, exit $status instead of $wanted"
        head -n 8 "$work/errors" "$work/diff" >&2
        failed=1
    fi
}
latest() { "$usher" -d "$1" audit list --limit 1 -o csv --fields id | tail -n 1; }
undone() {
    local status=0 wanted=0
    "$usher" -d "$plain" audit undo "$(latest "$plain")" "$@" --no-input --json >"$work/plain.out" 2>&1 || wanted=$?
    "$usher" -d "$spread" audit undo "$(latest "$spread")" "$@" --no-input --json >"$work/spread.out" 2>&1 || status=$?
    if [ $status = 0 ] && [ $wanted = 0 ] && diff <(normal <"$work/plain.out") <(normal <"$work/spread.out") >"$work/diff"; then
        row '  and its undo' 'as plain Postgres'
    else
        row '  and its undo' "DIFFERENT RESULT, exit $status instead of $wanted"
        head -n 8 "$work/spread.out" "$work/diff" >&2
        failed=1
    fi
}
# All rows of all tables, sorted.
rows() {
    for table in auth.users auth.sessions auth.identities auth.refresh_tokens auth.audit_log_entries public.profiles public.impulse_quota public.iap_subscriptions public.iap_transactions \
        public.iap_webhook_events public.impulses public.check_ins public.subscription_config; do
        "$bin/psql" -XqAt -h "$work/s" -p "$one" -U postgres -d "$1" -c "select '$table ' || to_jsonb(t)::text from $table t"
    done | LC_ALL=C sort
}
# Compares only the rows that differ as text, because most rows are equal.
alike() {
    diff <(LC_ALL=C comm -23 "$work/plain.gone" "$work/spread.gone" | normal) \
        <(LC_ALL=C comm -13 "$work/plain.gone" "$work/spread.gone" | normal) >>"$work/diff"
}
all_alike() {
    for database in plain spread; do rows $database >"$work/$database.gone"; done
    : >"$work/diff"
    alike
}
# Deletes the account in both databases, and compares the output and the remaining rows.
away() {
    local database status words=("$@")
    for database in plain spread; do
        status=0
        "$usher" -d "${!database}" account delete "${words[@]}" --no-input >"$work/$database.out" 2>&1 || status=$?
        echo "exit $status" >>"$work/$database.out"
        rows "$database" >"$work/$database.gone"
    done
    if diff <(normal <"$work/plain.out") <(normal <"$work/spread.out") >"$work/diff" &&
        grep -q '^exit 0$' "$work/spread.out" && grep -q ' rows\? deleted' "$work/spread.out" &&
        alike; then
        row "account delete $*" 'as plain Postgres, row by row'
    else
        row "account delete $*" 'DIFFERENT RESULT'
        head -n 12 "$work/diff" >&2
        failed=1
    fi
}
# Deletes accounts in batches. Plain Postgres uses several batches and Citus only one, but both must delete the same rows.
parted() {
    local database status=0
    seq -f 'added%.0f@example.net' "$@" >"$work/some"
    for database in plain spread; do
        "$usher" -d "${!database}" account delete --from "$work/some" --confirm 20 --batch 3 --no-input >"$work/$database.out" 2>&1 || status=$?
        rows "$database" >"$work/$database.gone"
    done
    : >"$work/diff"
    if [ $status = 0 ] && alike; then
        row 'account delete --batch 3' 'as plain Postgres, row by row'
    else
        row 'account delete --batch 3' "DIFFERENT RESULT, exit $status"
        head -n 8 "$work/spread.out" "$work/diff" >&2
        failed=1
    fi
}
refused() { untouched 3 'other servers' "$@"; }
untouched() {
    local wanted=$1 reason=$2 status=0 before after
    shift 2
    before=$(rows spread | md5sum)
    "$usher" -d "$spread" "$@" </dev/null >"$work/spread.out" 2>"$work/errors" || status=$?
    after=$(rows spread | md5sum)
    if [ $status = "$wanted" ] && grep -q "$reason" "$work/errors" && [ "$before" = "$after" ]; then
        row "$*" "refused with exit $status, nothing changed"
    else
        row "$*" "NOT REFUSED, exit $status"
        head -n 5 "$work/errors" >&2
        failed=1
    fi
}
printf '%s\n' added152@example.net added153@example.net >"$work/two"
at=(--at "$(date -u +%Y-%m-%dT%H:00:00Z)")
yes=(-y --no-input --json)
same user find ada@example.com -o csv
same user find margaret -o csv
same user list -o csv
same user list --where due -o csv "${at[@]}"
same user list --decision access=paywall -o csv "${at[@]}"
same user show ada@example.com --json "${at[@]}"
same user show grace@example.com "${at[@]}"
same user why grace@example.com --json "${at[@]}"
same user timeline grace@example.com -o csv
same quota show grace@example.com --json "${at[@]}"
same quota show --json "${at[@]}"
same stats --json "${at[@]}"
same check --json --limit 1000000
same session list grace@example.com -o csv
same event list -o csv
same event list --unprocessed -o csv
same partner list -o csv
same trial list --json
same subscription list -o csv
same settings show -o csv
same state list
same audit verify -o csv
same app check --json

same trial expire ada@example.com -n --json
same trial expire ada@example.com "${yes[@]}"
undone -y
same partner grant niklaus@example.com --source ambassador "${yes[@]}"
undone -y
same partner grant grace@example.com --source ambassador "${yes[@]}"
same partner revoke margaret@example.com "${yes[@]}"
undone -y
same partner unflag radia@example.com "${yes[@]}"
same trial start niklaus@example.com "${yes[@]}"
undone -y
same trial extend alan@example.com --days 3 "${yes[@]}"
same trial extend alan@example.com --until "$(date -u -d '+20 days' +%F)" "${yes[@]}"
same subscription cancel grace@example.com "${yes[@]}"
undone -y
same subscription expire katherine@example.com "${yes[@]}"
undone -y
same subscription renew dennis@example.com --until 2099-01-01 "${yes[@]}"
same quota reset grace@example.com "${yes[@]}"
undone -y
same user repair ken@example.com "${yes[@]}"
undone -y
same user repair ada@example.com "${yes[@]}"
same session revoke grace@example.com "${yes[@]}"
same settings set quota trial impulse_limit 5 "${yes[@]}"
undone -y
for state in fresh-trial trial-expired foundation-bought quota-exhausted cancelled-days-left cancelled-ended subscription-expired; do
    same state force "test+$state@example.com" $state "${yes[@]}"
    undone -y
done
same state force alan@example.com partner "${yes[@]}"
undone -y
# These single changes run before the bulk changes, because a bulk change lists its users when it begins.
same account search ada@example.com
due=$("$usher" -d "$plain" user list --where due -o csv --fields id --limit 1000000 | tail -n +2 | wc -l)
same trial expire --due --confirm "$due" --no-input --json
undone --confirm "$due"
same check partner-flag --fix "${yes[@]}"
same event replay stuck-16beee65-180 "${yes[@]}"
undone -y
same user export ada@example.com
same account survey -v
same account search added7@example.net
same account plan ada@example.com -v
same account plan grace@example.com --json
same account delete ada@example.com -n
same account delete grace@example.com -n --json
same account delete grace@example.com -n --batch 10
refused account delete added150@example.net --confirm added150@example.net --archive "$work/archive" --no-input
away added150@example.net --confirm added150@example.net
away added151@example.net --confirm added151@example.net
away --from "$work/two" --confirm 2
parted 101 120
same account delete ada@example.com --confirm ada@example.com --no-input --json
same account search ada@example.com
same audit verify -o csv
if all_alike; then
    row 'all rows' 'as plain Postgres'
else
    row 'all rows' 'DIFFERENT ROWS'
    head -n 20 "$work/diff" >&2
    failed=1
fi
# Creates operators with only the rights that `roles sql` prints.
for database in spread plain; do
    "$usher" -d "${!database}" roles sql >"$work/roles.sql"
    load $database "$work/roles.sql" 2>"$work/errors" || fail "$(cat "$work/errors")"
done
sql "$one" spread 'create role sue login; create role ann login; create role ed login'
sql "$one" spread 'grant usher_support to sue; grant usher_admin to ann; grant usher_eraser to ed'
as_user() {
    local owners=("$plain" "$spread")
    plain="host=$work/s port=$one dbname=plain user=$1"
    spread="host=$work/s port=$one dbname=spread user=$1"
    "${@:2}"
    plain=${owners[0]} spread=${owners[1]}
}
as_user sue same user show grace@example.com --json "${at[@]}"
as_user sue same user find added77@example.net -o csv
as_user sue same stats --json "${at[@]}"
as_user sue same trial expire added301@example.net "${yes[@]}"
as_user sue same trial extend added331@example.net --days 3 "${yes[@]}"
as_user ann same partner grant added332@example.net --source ambassador "${yes[@]}"
as_user ann undone -y
as_user ed same account plan grace@example.com -v
as_user ed same user export grace@example.com
as_user ed same account search grace@example.com
as_user ed same account delete grace@example.com -n
as_user ed away added154@example.net --confirm added154@example.net
printf '%s\n' added155@example.net added156@example.net >"$work/two"
as_user ed away --from "$work/two" --confirm 2
as_user ed parted 121 140
# A role that can read only some columns searches these columns, and gets a warning about the others.
sql "$one" spread 'create role col login bypassrls'
for database in plain spread; do
    sql "$one" $database 'grant usage on schema auth, public to col; grant select (id, email) on auth.users, public.profiles to col;
                          grant select (user_id, payload) on public.iap_webhook_events to col; grant select (id, title) on public.impulses to col'
done
as_user col same account search grace@example.com -v
as_user col same account search "$(awk 'NR == 1' "$work/known")" --json
as_user col same account survey
as_user sue untouched 5 'usher_eraser' account delete grace@example.com --confirm grace@example.com --no-input
same audit verify -o csv

# Another session updates the same row at the same time; both changes must remain.
for database in plain spread; do
    sql "$one" $database "begin; update public.profiles set notification_email = 'ed@example.net' where email = 'added333@example.net';
                          select pg_sleep(3); commit" &
    writer=$!
    sleep 1
    "$usher" -d "${!database}" trial extend added333@example.net --days 3 "${yes[@]}" >"$work/$database.out" 2>&1 || true
    wait $writer
done
if diff <(normal <"$work/plain.out") <(normal <"$work/spread.out") >"$work/diff" && grep -q '"operation"' "$work/spread.out"; then
    row 'trial extend while another session writes' 'as plain Postgres'
else
    row 'trial extend while another session writes' 'DIFFERENT RESULT'
    head -n 8 "$work/diff" "$work/spread.out" >&2
    failed=1
fi
if ! all_alike; then
    row 'all rows, after concurrent changes' 'DIFFERENT ROWS'
    head -n 20 "$work/diff" >&2
    failed=1
fi
sql "$one" spread "
    create table public.notes (user_id uuid not null, at date not null) partition by range (at);
    select create_distributed_table('public.notes', 'user_id', colocate_with => 'auth.users')"
refused account survey
refused account plan grace@example.com
refused account delete grace@example.com --confirm grace@example.com --no-input
refused account delete grace@example.com -n
refused account delete grace@example.com --confirm grace@example.com --archive "$work/archive" --no-input
refused user export grace@example.com

"$usher" -d "$spread" doctor -o csv >"$work/doctor" || true
grep -q '^servers,doubtful,"\?Citus stores 14 tables on 2 other servers' "$work/doctor" || fail 'doctor does not mention Citus'
row doctor 'shows the number of distributed tables and servers'

# The processor time for one user must not depend on the number of webhooks of other users.
cost() {
    local began
    began=$(worked)
    "$usher" -d "$spread" "$@" </dev/null >/dev/null 2>"$work/errors" || fail "$*: $(cat "$work/errors")"
    echo $(($(worked) - began))
}
one_user=(user show grace@example.com "${at[@]}")
one_event=(event replay stuck-16beee65-180 -n --no-input)
few=$(cost "${one_user[@]}") few_events=$(cost "${one_event[@]}")
sql "$one" spread "insert into public.iap_webhook_events (event_id, event_type, environment, user_id, payload, received_at, processed_at)
    select event_id || '-' || i, event_type, environment, user_id, payload, received_at, coalesce(processed_at, now())
      from public.iap_webhook_events, generate_series(1, 9) i"
sql "$one" spread 'analyze public.iap_webhook_events'
many=$(cost "${one_user[@]}") many_events=$(cost "${one_event[@]}")
if [ "$many" -le $((2 * few + 100)) ] && [ "$many_events" -le $((2 * few_events + 100)) ]; then
    row 'ten times the webhooks' "hundredths of a second: user show $few and $many, event replay $few_events and $many_events"
else
    row 'ten times the webhooks' "TOO SLOW, hundredths of a second: user show $few and $many, event replay $few_events and $many_events"
    failed=1
fi

# On a worker, usher must refuse every command before it changes anything, and must name the worker as the reason.
of_worker() { spread="host=$work/s port=$two dbname=spread user=postgres" "$@"; }
for words in 'install --yes --no-input' 'trial expire grace@example.com -n' 'account delete grace@example.com -n' 'roles sql' \
    'user show grace@example.com' 'user list' 'user export grace@example.com' 'account search grace@example.com' 'app check' 'audit list' \
    'request list'; do
    # shellcheck disable=SC2086
    of_worker untouched 3 'a Citus worker' $words
done
sql "$two" spread 'do $$ begin if to_regnamespace($n$usher$n$) is not null then raise $m$the audit log is on a worker$m$; end if; end $$'
doctor() {
    local status=0
    "$usher" -d "$spread" doctor -o csv >"$work/doctor" || status=$?
    if [ $status = "$1" ] && grep -q "$2" "$work/doctor"; then
        row "doctor, $3" "exit $status, reported"
    else
        row "doctor, $3" "NOT REPORTED, exit $status"
        cat "$work/doctor" >&2
        failed=1
    fi
}
of_worker doctor 0 "server,doubtful,\"\?a Citus worker.*127.0.0.1:$one" 'on a worker'
sql "$three" spread 'set citus.enable_ddl_propagation = off; alter role usher_eraser rename to usher_gone'
doctor 1 "127.0.0.1:$three does not have the roles of all operators.*create role usher_eraser" 'a role that a worker does not have'
"${as[@]}" "$bin/pg_ctl" -D "$work/s/w2" -m immediate -w stop >/dev/null
doctor 1 "127.0.0.1:$three does not answer" 'a dead worker'
[ $failed = 0 ] || fail 'some results differ from those of plain Postgres'
echo 'citus: passed'
