#!/bin/sh
# Checks that the pictures of README.md show what the program prints today.
set -eu
cd "$(dirname "$0")/../.."

.ci/pictures/draw --check
echo 'the pictures are current'
