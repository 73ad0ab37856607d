#!/usr/bin/env bash
# A bulk change of many users against one raw UPDATE of the same rows, on a private Postgres: medians and their ratio.
#
# Usage: Tests/Benchmarks/bulk.sh [USERS [RUNS]]    with a release build; USHER names another binary
set -euo pipefail
cd "$(dirname "$0")/../.."

users=${1:-500000}
runs=${2:-3}
usher=${USHER:-.build/release/usher}
[ -x "$usher" ] || { echo "$usher is missing; run swift build -c release --static-swift-stdlib" >&2; exit 1; }
psql=$(ls /usr/lib/postgresql/*/bin/psql | tail -n 1)
demo=$("$usher" demo impulse --keep --json -q --no-input </dev/null)
field() { printf '%s\n' "$demo" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
trap '"$usher" demo --stop "$(field folder)" >/dev/null' EXIT
db=$(field db)
sql() { "$psql" -XAtq "$db user=postgres" -v ON_ERROR_STOP=1 -c "$1"; }
seconds() { local from to; from=$(date +%s.%N); "$@" >/dev/null; to=$(date +%s.%N); awk "BEGIN { printf \"%.2f\n\", $to - $from }"; }
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

sql "alter system set max_wal_size = '8GB'"
sql "
select pg_reload_conf();
insert into auth.users (id, email)
select md5('many' || n)::uuid, 'many' || n || '@example.com' from generate_series(1, $users) n;
insert into public.profiles (id, email, trial_ends_at)
select md5('many' || n)::uuid, 'many' || n || '@example.com', now() - interval '1 hour' from generate_series(1, $users) n
    on conflict (id) do update set trial_ends_at = excluded.trial_ends_at" >/dev/null
due="subscription_tier = 'trial' and subscription_status = 'active' and trial_ends_at <= now()"
reset() {
    sql "update public.profiles set subscription_status = 'active' where subscription_tier = 'trial' and trial_ends_at <= now()"
    for step in "vacuum full analyze public.profiles" "vacuum analyze" checkpoint; do sql "$step"; done
}
expire() { "$usher" -d "$db" --no-input --no-progress trial expire --due --confirm "$(sql "select count(*) from public.profiles where $due")"; }

raw=() bulk=()
for _ in $(seq "$runs"); do
    reset
    raw+=("$(seconds sql "update public.profiles set subscription_status = 'expired' where $due")")
    reset
    bulk+=("$(seconds expire)")
done
one=$(printf '%s\n' "${raw[@]}" | median)
many=$(printf '%s\n' "${bulk[@]}" | median)
echo "$users users: one raw UPDATE $one s, usher $many s, $(awk "BEGIN { printf \"%.2f\", $many / $one }") times as long (medians of $runs)"
