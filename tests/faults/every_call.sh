#!/usr/bin/env bash
# Lets every single OpenCL call of every use of clgauss fail, one a run, and demands a typed error or a right answer.
#
# Usage: tests/faults/every_call.sh [DEVICE...]      the devices, as `clgauss --device` takes them; the best one if none is given
# BUILD_DIR chooses the build folder, in which faults_tests must have been built. CLGAUSS_FAULTS=every:5 takes each fifth call only.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CLGAUSS_FAULTS=${CLGAUSS_FAULTS:-every}
export CLGAUSS_FAULTS_DEVICES="${*:-auto}"
exec "${BUILD_DIR:-build}"/faults_tests
