#!/bin/sh
# Every float of every f32 function and into every narrow format, and 10^9 doubles of every f64 function: many minutes on
# all cores. Argument: the build folder.
set -eu
build=${1:?usage: full.sh BUILD_FOLDER}
"$build/tests/ulp_sweep_formats" 1
"$build/tests/ulp_sweep_f32" 1
"$build/tests/ulp_sweep_f64" 1000000000
"$build/tests/ulp_sweep_lgamma" 10000000
