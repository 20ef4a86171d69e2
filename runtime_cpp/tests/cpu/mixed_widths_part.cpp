// FUNCTION: multiply_narrow or multiply_wide.
#include <intent/cpu/matmul.hpp>

#include "mixed_widths.hpp"

void FUNCTION(const float* a, const float* b, float* c, intent::index_t n) {
    intent::matmul<float>(n, n, n, intent::Matrix<const float>{a, n, 1}, intent::Matrix<const float>{b, n, 1},
                          intent::Matrix<float>{c, n, 1});
}
