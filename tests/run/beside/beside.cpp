// One program with the cpu and the cuda project of the same kernels: C++ and C functions of both.
#include <first/first.h>
#include <first/first.hpp>
#include <first_cuda/first_cuda.h>
#include <first_cuda/first_cuda.hpp>

#include <intent/check.hpp>

#include <cstdio>

int main() {
    float x[6] = {1, 2, 3, 4, 5, 6};
    float y[6] = {};
    first::scale({x, {6}, {1}}, 2.0f, {y, {6}, {1}});
    try {
        first_cuda::scale({x, {6}, {1}}, 2.0f, {y, {5}, {1}}, nullptr);  // refused before any launch
    } catch (const intent::ShapeError& error) {
        std::puts(error.what());
    }
    const std::int64_t six = 6, five = 5, one = 1;
    const intent_view from = {x, &six, &one}, to = {y, &five, &one};
    const bool both = first_scale_run(&from, 2.0f, &to) == INTENT_SHAPE_ERROR &&
                      first_cuda_scale_run(&from, 2.0f, &to, nullptr) == INTENT_SHAPE_ERROR;
    return y[5] == 12 && both ? 0 : 1;
}
