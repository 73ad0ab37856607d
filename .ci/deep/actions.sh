#!/usr/bin/env bash
# Every action and test state of the shipped apps on their sample data: planned, run, undone, and undone again.
#
# Usage: .ci/deep/actions.sh [APP,APP…]    all apps when none is named
set -euo pipefail
cd "$(dirname "$0")/../.."
USHER_DEEP=${1:-all} swift test --filter AppActionTests
