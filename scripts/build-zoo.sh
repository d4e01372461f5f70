#!/bin/sh
# Builds the zoo, tests/zoo: a driver that disguises PoCL's device. FOLDER/vendors is then for OCL_ICD_VENDORS,
# and FOLDER/tuning has rows for MAKESPAN_TUNING in measurements.
#
#   scripts/build-zoo.sh FOLDER
set -eu

mkdir -p "$1/vendors"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
headers=/usr/include/CL/cl_icd.h
[ -e "$headers" ] || { echo "$0: $headers is missing, install opencl-c-headers" >&2; exit 1; }
cc -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -Wall -Wextra -Wpedantic -Werror -o "$folder/libzoo.so" tests/zoo/*.c -ldl -lpthread
echo "$folder/libzoo.so" >"$folder/vendors/zoo.icd"
# PoCL compiles unrolled wavefronts for minutes.
printf 'makespan tuning 1\nflow_shop_search vendor "Zoo" UNROLL 1\n' >"$folder/tuning"
