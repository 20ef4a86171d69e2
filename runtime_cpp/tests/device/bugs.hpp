// The broken kernels and their correct twins, by name.
#pragma once

#include <string_view>

namespace bugs {

constexpr int kElements = 1024;  // of x and of y

// Runs kernel `name` on x and y. Throws intent::DeviceError when it does not end.
void run(const char* name, bool broken, const float* x, float* y);

}  // namespace bugs
