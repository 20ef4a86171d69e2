// All codes of the scaled formats, and all midpoints between them.
#include <intent/scaled.hpp>

#include "../expect.hpp"

#include <cmath>

using namespace intent;

int main() {
    constexpr float kE2M1[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    for (std::uint8_t code = 0; code < 8; ++code) {
        const float value = kE2M1[code];
        EXPECT(float_from_e2m1(code) == value && !std::signbit(float_from_e2m1(code)));
        EXPECT(float_from_e2m1(code | 8u) == -value && std::signbit(float_from_e2m1(code | 8u)));
        EXPECT(float_from_e2m1(code | 0xf0u) == value);
        EXPECT(e2m1_from_float(value) == code && e2m1_from_float(-value) == (code | 8));
        const float next = code == 7 ? 8.0f : kE2M1[code + 1];
        const float middle = 0.5f * (value + next);
        const int above = code == 7 ? 7 : code + 1;
        EXPECT(e2m1_from_float(middle) == (code % 2 == 0 ? code : above));
        EXPECT(e2m1_from_float(std::nextafter(middle, 0.0f)) == code);
        EXPECT(e2m1_from_float(-std::nextafter(middle, 9.0f)) == (above | 8));
    }
    EXPECT(e2m1_from_float(infinity<float>()) == 7 && e2m1_from_float(-1e30f) == 15 &&
           (e2m1_from_float(quiet_nan<float>()) & 7) == 7 && e2m1_from_float(1e-40f) == 0);
    for (unsigned pair = 0; pair < 256; ++pair) {
        const auto byte = static_cast<std::uint8_t>(pair);
        EXPECT(float_from_e2m1_pair(byte, 0) == float_from_e2m1(pair & 15u) &&
               float_from_e2m1_pair(byte, 1) == float_from_e2m1(pair >> 4));
    }

    for (int code = 0; code < 255; ++code) {
        const auto byte = static_cast<std::uint8_t>(code);
        const float scale = float_from_e8m0(byte);
        EXPECT(static_cast<double>(scale) == std::ldexp(1.0, code - 127));
        EXPECT(e8m0_from_float(scale) == (code == 0 ? 0 : byte) && e8m0_from_float(1.75f * scale) == byte);
        EXPECT(e8m0_from_float(-scale) == e8m0_from_float(scale));
    }
    EXPECT(is_nan(float_from_e8m0(255)) && e8m0_from_float(infinity<float>()) == 255 &&
           e8m0_from_float(quiet_nan<float>()) == 255);
    return expect::failures();
}
