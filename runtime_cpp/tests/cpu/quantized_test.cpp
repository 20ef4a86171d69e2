#include <intent/cpu/quantized.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace intent;

namespace {

std::vector<std::uint8_t> random_weights(test::Random& random, index_t records) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(records * kQ4KBytes));
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random.bits());
    }
    for (index_t g = 0; g < records; ++g) {
        const f16 factors[2] = {f16(0.01 + 0.01 * random.real()), f16(0.01 + 0.01 * random.real())};
        std::memcpy(bytes.data() + g * kQ4KBytes, factors, sizeof factors);
    }
    return bytes;
}

// The format, as it is written down: element i of a record, its group's scale and minimum.
int scale_of(const std::uint8_t* a, int i) { return i < 4 ? a[i] & 63 : (a[4 + i] & 15) | (a[i - 4] >> 6) << 4; }
int least_of(const std::uint8_t* a, int i) { return i < 4 ? a[4 + i] & 63 : a[4 + i] >> 4 | (a[i] >> 6) << 4; }
int weight_of(const std::uint8_t* record, int i) {
    const std::uint8_t byte = record[16 + 32 * (i / 64) + i % 32];
    return i % 64 < 32 ? byte & 15 : byte >> 4;
}

// Computed in f64 where f64 is exact, then rounded; `volatile` keeps the compiler from fusing the last two.
float expected_product(const std::uint8_t* lhs, const std::uint8_t* rhs) {
    std::int64_t total = 0;
    std::int64_t offset = 0;
    for (int i = 0; i < kRecordMembers; ++i) {
        total += scale_of(lhs + 4, i / 32) * weight_of(lhs, i) * static_cast<std::int8_t>(rhs[4 + i]);
    }
    for (int i = 0; i < 16; ++i) {
        offset += least_of(lhs + 4, i / 2) * detail::read_bytes<std::int16_t>(rhs + 260 + 2 * i);
    }
    volatile float p = static_cast<float>(static_cast<double>(static_cast<float>(detail::read_bytes<f16>(lhs))) *
                                          static_cast<double>(total));
    volatile float n = static_cast<float>(static_cast<double>(static_cast<float>(detail::read_bytes<f16>(lhs + 2))) *
                                          static_cast<double>(offset));
    volatile float difference = p - n;
    volatile float product = detail::read_bytes<float>(rhs) * difference;
    return product;
}

void products() {
    test::Random random(11);
    for (const index_t records : {0, 1, 2, 3, 17, 1009}) {
        const std::vector<std::uint8_t> weights = random_weights(random, records);
        std::vector<std::uint8_t> numbers(static_cast<std::size_t>(records * kQ8KBytes));
        volatile float expected = 0.0f;
        for (index_t g = 0; g < records; ++g) {
            std::uint8_t* const record = numbers.data() + g * kQ8KBytes;
            // Largest magnitudes often: integer sums beyond 2^24, which f32 cannot hold.
            const bool extreme = random.integer(0, 3) == 0;
            for (int i = 0; i < kQ8KBytes; ++i) {
                record[i] = static_cast<std::uint8_t>(extreme && i >= 4 && i < 260 ? 128 : random.bits());
            }
            const float scale = static_cast<float>(random.real());
            std::memcpy(record, &scale, sizeof scale);
            expected = expected + expected_product(weights.data() + g * kQ4KBytes, record);
        }
        const std::uint8_t* const lhs = weights.data();
        const std::uint8_t* const rhs = numbers.data();
        const float got = quantized_dot_q4_k_q8_k(
            records, [=](index_t g) { return lhs + g * kQ4KBytes; }, [=](index_t g) { return rhs + g * kQ8KBytes; });
        EXPECT(got == expected);

        // Bytes of a record that are not neighbours.
        std::vector<std::uint8_t> spread(3 * weights.size() + 1);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            spread[3 * i] = weights[i];
        }
        const std::uint8_t* const strided = spread.data();
        EXPECT(got == quantized_dot_q4_k_q8_k(
                          records,
                          [=](index_t g) { return Line<const std::uint8_t, false>{strided + 3 * g * kQ4KBytes, 3}; },
                          [=](index_t g) { return Line<const std::uint8_t, true>{rhs + g * kQ8KBytes, 1}; }));
    }
}

// The sum of products must not fuse with the product of the record that it adds.
void sum_is_not_fused() {
    std::uint8_t lhs[2 * kQ4KBytes] = {};
    std::uint8_t rhs[2 * kQ8KBytes] = {};
    const f16 one(1.0f);
    const float scales[2] = {1.0f / 3.0f, -1.0f / 3.0f};
    for (int g = 0; g < 2; ++g) {
        std::memcpy(lhs + g * kQ4KBytes, &one, sizeof one);
        lhs[g * kQ4KBytes + 4] = 1;    // the scale of group 0
        lhs[g * kQ4KBytes + 16] = 15;  // member 0
        std::memcpy(rhs + g * kQ8KBytes, &scales[g], sizeof(float));
        rhs[g * kQ8KBytes + 4] = 7;
    }
    const std::uint8_t* const p = lhs;
    const std::uint8_t* const q = rhs;
    EXPECT(quantized_dot_q4_k_q8_k(
               2, [=](index_t g) { return p + g * kQ4KBytes; }, [=](index_t g) { return q + g * kQ8KBytes; }) == 0.0f);
}

void check_record(const float* x) {
    std::uint8_t record[kQ8KBytes + 1];
    record[kQ8KBytes] = 99;
    quantize_q8_k([=](index_t i) { return x[i]; }, record);
    float low = x[0];
    float high = x[0];
    for (int i = 0; i < kRecordMembers; ++i) {
        low = std::fmin(low, x[i]);
        high = std::fmax(high, x[i]);
    }
    volatile float extreme = std::fabs(high) > std::fabs(low) ? high : low;
    volatile float inverse = extreme == 0.0f ? 0.0f : -127.0f / extreme;
    EXPECT(detail::read_bytes<float>(record) == (extreme == 0.0f ? 0.0f : 1.0f / inverse));
    for (int part = 0; part < 16; ++part) {
        int sum = 0;
        for (int i = 16 * part; i < 16 * part + 16; ++i) {
            volatile float scaled = x[i] * inverse;
            const int expected = std::min(127, std::max(-128, static_cast<int>(std::nearbyint(scaled))));
            EXPECT(static_cast<std::int8_t>(record[4 + i]) == expected);
            sum += expected;
        }
        EXPECT(detail::read_bytes<std::int16_t>(record + 260 + 2 * part) == sum);
    }
    EXPECT(record[kQ8KBytes] == 99);
}

void quantization() {
    test::Random random(12);
    float x[kRecordMembers] = {};
    check_record(x);
    x[7] = -3.0f;
    check_record(x);
    x[3] = 3.0f;  // a tie: the least is taken
    check_record(x);
    for (int i = 0; i < kRecordMembers; ++i) {
        x[i] = 0.5f * static_cast<float>(i % 255 - 127);  // halves: to even
    }
    check_record(x);
    for (int round = 0; round < 200; ++round) {
        for (float& number : x) {
            number = static_cast<float>(std::ldexp(random.real(), static_cast<int>(random.integer(-20, 20))));
        }
        check_record(x);
    }
}

}  // namespace

int main() {
    products();
    sum_is_not_fused();
    quantization();
    return expect::failures();
}
