#!/usr/bin/env bash
# Breaks the connection at every STEP-th message of the commands that commit.
#
# Usage: .ci/deep/faults.sh [STEP [COMMAND]]    all commands if none is named; a STEP of 1 takes hours
#
# The message can be from usher or from the server. The connection ends before the message, ends in its middle, or stays silent
# from the message on; the server is reachable afterwards or not. The test compares the report of usher with the rows, the audit log and
# its seals.
set -euo pipefail
cd "$(dirname "$0")/../.."
step=${1:-1}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
USHER_FAULTS=$step USHER_FAULTS_FROM=$RANDOM USHER_FAULTS_OF=${2:-} swift test --filter FaultTests | tee "$said"
grep -q '^faults: ' "$said" || { echo "faults: the test broke no connection" >&2; exit 1; }
grep '^faults: ' "$said"
echo 'faults: passed'
