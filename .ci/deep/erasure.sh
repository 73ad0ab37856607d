#!/bin/sh
# Deletes accounts from many random schemas. It shrinks and prints the first schema whose deletion fails.
#
# Usage: .ci/deep/erasure.sh [SEEDS [FIRST]]
set -eu
cd "$(dirname "$0")/../.."
export ERASURE_SEEDS="${1:-2000}" ERASURE_SEED="${2:-1}"
USHER_DEEP=all swift test --filter 'RandomErasureTests|AccountModelTests'
