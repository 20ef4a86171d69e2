// What device code is written in: CUDA itself, or its simulation when the host compiler reads the same text.
#pragma once

#if defined(__CUDACC__)
#include <intent/device/launch.cuh>
#else
#include <intent/sim/atomics.hpp>
#include <intent/sim/collectives.hpp>
#include <intent/sim/instructions.hpp>
#include <intent/sim/intrinsics.hpp>
#include <intent/sim/launch.hpp>
#endif
