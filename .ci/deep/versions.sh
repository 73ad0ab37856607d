#!/usr/bin/env bash
# The suites that need a server, on every version that is supported: this machine's own, and those of other systems.
#
# Usage: .ci/deep/versions.sh [FILTER [VERSION…]]    FILTER as `swift test` takes it
set -euo pipefail
cd "$(dirname "$0")/../.."

filter=${1:-'^(Engine|PQ|CLI)Tests'}
[ $# -eq 0 ] || shift
others=$(.ci/deep/servers "$@")
[ $# -gt 0 ] || others+=" $(printf '%s\n' /usr/lib/postgresql/*/bin)"

swift build --build-tests
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for bin in $others; do
    "$bin/postgres" --version
    USHER_PG_BIN=$bin swift test --skip-build --filter "$filter" >"$log" 2>&1 || failed=1
    grep 'recorded an issue' "$log" || true
    grep '^. Test run with' "$log" || failed=1
done
exit $failed
