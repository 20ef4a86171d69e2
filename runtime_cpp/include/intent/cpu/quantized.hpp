// Records of 256 quantised numbers: making q8_k, and the product of q4_k and q8_k. Integer sums are exact; every
// rounding to f32 that the formats prescribe happens, whatever the compiler may contract.
//
// q4_k, 144 bytes: d and dmin (f16) at 0 and 2, eight scales and eight minima of six bits in twelve bytes at 4, 256
// numbers of four bits at 16. q8_k, 292 bytes: the scale (f32) at 0, 256 numbers (i8) at 4, sums of sixteen (i16) at
// 260.
#pragma once

#include <intent/config.hpp>
#include <intent/float16.hpp>
#include <intent/line.hpp>
#include <intent/numeric.hpp>

#include <cstring>

namespace intent {

constexpr index_t kRecordMembers = 256;
constexpr index_t kQ4KBytes = 144;
constexpr index_t kQ8KBytes = 292;

namespace detail {

constexpr index_t kGroups = 8;         // of a record, each with a scale and a minimum
constexpr index_t kGroupMembers = 32;  // of a group
constexpr index_t kSumMembers = 16;    // in each partial sum of q8_k

template <class T>
inline T read_bytes(const std::uint8_t* bytes) noexcept {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// The eight scales and the eight minima of a q4_k record.
struct SixBits {
    std::int32_t scales[kGroups];
    std::int32_t minima[kGroups];
};
inline SixBits unpack_six_bits(const std::uint8_t* packed) noexcept {
    SixBits result;
    for (index_t i = 0; i < 4; ++i) {
        result.scales[i] = packed[i] & 63;
        result.minima[i] = packed[4 + i] & 63;
        result.scales[4 + i] = (packed[8 + i] & 15) | (packed[i] >> 6) << 4;
        result.minima[4 + i] = packed[8 + i] >> 4 | (packed[4 + i] >> 6) << 4;
    }
    return result;
}

// The sum over a record of the members, the numbers of four bits and the scales of their groups.
inline std::int32_t scaled_sum(const std::uint8_t* nibbles, const std::int8_t* members,
                               const std::int32_t* scales) noexcept {
#if defined(__AVX2__)
    using Bytes = char __attribute__((vector_size(32)));
    using Shorts = short __attribute__((vector_size(32)));
    using Words = int __attribute__((vector_size(32)));
    using Unsigned = unsigned short __attribute__((vector_size(32)));
    Words sums{};
    for (index_t group = 0; group < kGroups; group += 2) {
        Unsigned packed;
        Bytes low;
        Bytes high;
        std::memcpy(&packed, nibbles + group / 2 * kGroupMembers, sizeof packed);
        std::memcpy(&low, members + group * kGroupMembers, sizeof low);
        std::memcpy(&high, members + (group + 1) * kGroupMembers, sizeof high);
        // Neighbours in pairs: 15 * 128, twice, fits 16 bits, and the scale makes it 32.
        sums += (Words)__builtin_ia32_pmaddwd256((Shorts)__builtin_ia32_pmaddubsw256((Bytes)(packed & 0x0f0f), low),
                                                 Shorts{} + static_cast<short>(scales[group]));
        sums +=
            (Words)__builtin_ia32_pmaddwd256((Shorts)__builtin_ia32_pmaddubsw256((Bytes)(packed >> 4 & 0x0f0f), high),
                                             Shorts{} + static_cast<short>(scales[group + 1]));
    }
    std::int32_t total = 0;
    for (int lane = 0; lane < 8; ++lane) {
        total += sums[lane];
    }
    return total;
#else
    std::int32_t total = 0;
    for (index_t group = 0; group < kGroups; ++group) {
        std::int32_t sum = 0;
        for (index_t i = 0; i < kGroupMembers; ++i) {
            const std::int32_t pair = nibbles[group / 2 * kGroupMembers + i];
            sum += (group % 2 == 0 ? pair & 15 : pair >> 4) * members[group * kGroupMembers + i];
        }
        total += scales[group] * sum;
    }
    return total;
#endif
}

// The f32 product of a q4_k and a q8_k record.
inline float record_product(const std::uint8_t* lhs, const std::uint8_t* rhs) noexcept {
    const SixBits bits = unpack_six_bits(lhs + 4);
    const std::int32_t total = scaled_sum(lhs + 16, reinterpret_cast<const std::int8_t*>(rhs + 4), bits.scales);
    std::int16_t sums[kRecordMembers / kSumMembers];
    std::memcpy(sums, rhs + 4 + kRecordMembers, sizeof sums);
    std::int32_t offset = 0;
    for (index_t group = 0; group < kGroups; ++group) {
        offset += bits.minima[group] * (sums[2 * group] + sums[2 * group + 1]);
    }
    // f64 holds the product of an f16 and these sums exactly: each is rounded once.
    const double d = static_cast<float>(read_bytes<f16>(lhs));
    const double least = static_cast<float>(read_bytes<f16>(lhs + 2));
    const float p = rounded(static_cast<float>(d * total));
    const float n = rounded(static_cast<float>(least * offset));
    return rounded(read_bytes<float>(rhs) * rounded(p - n));
}

// The bytes of a record along a line: where they lie, or a copy side by side.
template <index_t kBytes>
class RecordBytes {
public:
    explicit RecordBytes(const std::uint8_t* bytes) noexcept : bytes_(bytes) {}
    template <class T, bool kDense>
    explicit RecordBytes(Line<T, kDense> line) noexcept : bytes_(kDense ? line.data : copy_) {
        if constexpr (!kDense) {
            for (index_t i = 0; i < kBytes; ++i) {
                copy_[i] = line[i];
            }
        }
    }
    RecordBytes(const RecordBytes&) = delete;
    RecordBytes& operator=(const RecordBytes&) = delete;

    const std::uint8_t* get() const noexcept { return bytes_; }

private:
    std::uint8_t copy_[kBytes];
    const std::uint8_t* bytes_;
};

}  // namespace detail

// The dot product of `records` pairs of a q4_k record lhs(g) and a q8_k record rhs(g), added in order. On this thread.
// The functions give a pointer to the bytes of a record, or their Line.
template <class Lhs, class Rhs>
float quantized_dot_q4_k_q8_k(index_t records, Lhs lhs, Rhs rhs) {
    float total = 0.0f;
    for (index_t g = 0; g < records; ++g) {
        const detail::RecordBytes<kQ4KBytes> lhs_record(lhs(g));
        const detail::RecordBytes<kQ8KBytes> rhs_record(rhs(g));
        total += detail::record_product(lhs_record.get(), rhs_record.get());
    }
    return total;
}

// The q8_k record of the 256 numbers value(i), into kQ8KBytes bytes. The extreme of larger magnitude (the least on
// ties) becomes -127; numbers that are all zero make a record of zeros.
template <class Value>
void quantize_q8_k(Value value, std::uint8_t* record) {
    constexpr index_t kLanes = 16;
    float values[kRecordMembers];
    #pragma omp simd
    for (index_t i = 0; i < kRecordMembers; ++i) {
        values[i] = value(i);
    }
    float lows[kLanes];
    float highs[kLanes];
    std::memcpy(lows, values, sizeof lows);
    std::memcpy(highs, values, sizeof highs);
    for (index_t i = kLanes; i < kRecordMembers; i += kLanes) {
        #pragma omp simd
        for (index_t lane = 0; lane < kLanes; ++lane) {
            lows[lane] = values[i + lane] < lows[lane] ? values[i + lane] : lows[lane];
            highs[lane] = values[i + lane] > highs[lane] ? values[i + lane] : highs[lane];
        }
    }
    float low = lows[0];
    float high = highs[0];
    for (index_t lane = 1; lane < kLanes; ++lane) {
        low = lows[lane] < low ? lows[lane] : low;
        high = highs[lane] > high ? highs[lane] : high;
    }
    const float extreme = __builtin_fabsf(high) > __builtin_fabsf(low) ? high : low;
    if (extreme == 0.0f) {
        std::memset(record, 0, kQ8KBytes);
        return;
    }
    const float inverse = -127.0f / extreme;
    const float scale = 1.0f / inverse;
    std::int8_t members[kRecordMembers];
    for (index_t i = 0; i < kRecordMembers; ++i) {
        const float rounded = __builtin_nearbyintf(values[i] * inverse);
        const float above = rounded > -128.0f ? rounded : -128.0f;
        members[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(above < 127.0f ? above : 127.0f));
    }
    std::int16_t sums[kRecordMembers / detail::kSumMembers];
    for (index_t part = 0; part < kRecordMembers / detail::kSumMembers; ++part) {
        std::int32_t sum = 0;
        for (index_t i = 0; i < detail::kSumMembers; ++i) {
            sum += members[part * detail::kSumMembers + i];
        }
        sums[part] = static_cast<std::int16_t>(sum);
    }
    std::memcpy(record, &scale, sizeof scale);
    std::memcpy(record + 4, members, sizeof members);
    std::memcpy(record + 4 + kRecordMembers, sums, sizeof sums);
}

}  // namespace intent
