#!/usr/bin/env bash
# Runs the test suites with every supported version of Postgres: the installed version, and those that `.ci/deep/servers`
# downloads.
#
# Usage: .ci/deep/versions.sh [FILTER [VERSION…]]    FILTER: for `swift test --filter`; all tests if it is empty
set -euo pipefail
cd "$(dirname "$0")/../.."

export USHER_DEEP=all
tests=(swift test --skip-build)
[ -z "${1:-}" ] || tests=(swift test --skip-build --filter "$1")
[ $# -eq 0 ] || shift
others=$(.ci/deep/servers "$@")
[ $# -gt 0 ] || others+=" $(printf '%s\n' /usr/lib/postgresql/*/bin)"

swift build --build-tests
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for bin in $others; do
    "$bin/postgres" --version
    USHER_PG_BIN=$bin "${tests[@]}" >"$log" 2>&1 || failed=1
    grep 'recorded an issue' "$log" || true
    grep '^. Test run with' "$log" || failed=1
done
exit $failed
