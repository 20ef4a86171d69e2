// One product, compiled twice for different vector widths and linked together.
#pragma once

#include <intent/config.hpp>

void multiply_narrow(const float* a, const float* b, float* c, intent::index_t n);
void multiply_wide(const float* a, const float* b, float* c, intent::index_t n);
