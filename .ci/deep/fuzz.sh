#!/bin/sh
# Searches for app files that crash or hang the parser: fuzz.sh [SECONDS [MORE-SEEDS…]]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-300}
[ $# -eq 0 ] || shift

swift build -c release --sanitize=fuzzer -Xswiftc -DFUZZING --product fuzz-appfile --scratch-path .build/fuzz

work=$(mktemp -d)
mkdir "$work/corpus" "$work/found"
cp sql/apps/*.sql sql/platform/*.sql "$@" "$work/corpus"
cat >"$work/words" <<'WORDS'
"-- @app "
"-- @requires "
"-- @include "
"-- @users"
"-- @key "
"-- @email "
"-- @select "
"-- @object "
"-- @define "
"-- @panel "
"-- @columns "
"-- @limit "
"-- @order "
"-- @explains "
"-- @timeline "
"-- @decision "
"-- @per "
"-- @assume "
"-- @rule "
"-- @advice "
"-- @shows "
"-- @quota "
"\x0a--   "
"true;"
" from "
" with x as ("
" using ("
"U&\""
"E'"
"$a$"
":now"
":user"
WORDS

status=0
.build/fuzz/release/fuzz-appfile -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -dict="$work/words" \
    -artifact_prefix="$work/found/" -print_final_stats=1 "$work/corpus" || status=$?
if [ "$status" -eq 0 ]; then
    rm -r "$work"
else
    echo "what was found: $work/found" >&2
fi
exit "$status"
