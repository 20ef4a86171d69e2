// Calls an emitted CUDA project from plain C++: what is checked before the launch needs no device.
#include <first/first.h>
#include <first/first.hpp>

#include <intent/check.hpp>

#include <cstdio>
#include <cstring>

int main() {
    float x[6] = {};
    float y[5] = {};
    try {
        first::scale({x, {6}, {1}}, 2.0f, {y, {5}, {1}}, nullptr);
        std::puts("a wrong extent was accepted");
        return 1;
    } catch (const intent::ShapeError& error) {
        std::puts(error.what());
    }
    const std::int64_t six = 6, five = 5, one = 1;
    const intent_view from = {x, &six, &one}, to = {y, &five, &one};
    const bool refused = first_scale_run(&from, 2.0f, &to, nullptr) == INTENT_SHAPE_ERROR;
    return refused && std::strstr(first_last_error(), "y must be [N]") != nullptr ? 0 : 1;
}
