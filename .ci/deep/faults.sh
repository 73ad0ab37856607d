#!/usr/bin/env bash
# Breaks the connection at every STEP-th message of what commits: .ci/deep/faults.sh [STEP [COMMAND]], of all commands if none.
#
# In either direction: cut before the message, in the middle of it, or silent from it on, with and without a way back. What
# is said is held against the rows, the audit and its seals. A step of 1 takes hours.
set -euo pipefail
cd "$(dirname "$0")/../.."
step=${1:-1}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
USHER_FAULTS=$step USHER_FAULTS_FROM=$RANDOM USHER_FAULTS_OF=${2:-} swift test --filter FaultTests | tee "$said"
grep -q '^faults: ' "$said" || { echo "faults: nothing was tried" >&2; exit 1; }
grep '^faults: ' "$said"
echo 'faults: all well'
