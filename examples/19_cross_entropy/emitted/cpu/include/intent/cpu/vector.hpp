// One register of the machine as a value: GCC and Clang vector extensions, the widest that the build may use.
#pragma once

#include <intent/config.hpp>

#include <cstring>
#include <type_traits>

#if defined(__AVX512F__)
#define INTENT_VECTOR_BYTES 64
#elif defined(__AVX__)
#define INTENT_VECTOR_BYTES 32
#else
#define INTENT_VECTOR_BYTES 16
#endif

// What sums up products of small integers: an instruction on vectors, and a matrix unit (tiles.hpp).
#if defined(__AVX512VNNI__)
#define INTENT_VNNI_NAME _with_vnni
#else
#define INTENT_VNNI_NAME
#endif
#if (defined(__AMX_INT8__) || defined(__AMXINT8__)) && defined(__linux__) && defined(__x86_64__)  // Clang 14: without _
#define INTENT_TILES
#define INTENT_TILES_NAME _with_tiles
#else
#define INTENT_TILES_NAME
#endif

#define INTENT_JOIN(bytes, vnni, tiles) vectors_of_##bytes##_bytes##vnni##tiles
#define INTENT_JOIN_VALUES(bytes, vnni, tiles) INTENT_JOIN(bytes, vnni, tiles)
#define INTENT_VECTOR_NAMESPACE INTENT_JOIN_VALUES(INTENT_VECTOR_BYTES, INTENT_VNNI_NAME, INTENT_TILES_NAME)

namespace intent {

// What depends on these lives in a namespace named after them: objects built for different machines may meet in one
// program, and none of them may run the other's loops, over data laid out for its own or with instructions that its
// machine lacks.
inline namespace INTENT_VECTOR_NAMESPACE {

constexpr int kVectorBytes = INTENT_VECTOR_BYTES;
constexpr int kVectorRegisters = kVectorBytes == 64 ? 32 : 16;

namespace vector_detail {

// Signed integers are computed as unsigned ones: the same bits, and overflow wraps instead of being undefined.
template <class T, bool kSigned = std::is_integral_v<T> && std::is_signed_v<T>>
struct LaneType {
    using Type = T;
};
template <class T>
struct LaneType<T, true> {
    using Type = std::make_unsigned_t<T>;
};

template <class T>
struct VectorType {
    using Lane = typename LaneType<T>::Type;
    typedef Lane Type __attribute__((vector_size(kVectorBytes)));
};

}  // namespace vector_detail

// kVectorLanes<T> numbers; + - * act on each.
template <class T>
using Vector = typename vector_detail::VectorType<T>::Type;

template <class T>
constexpr int kVectorLanes = kVectorBytes / static_cast<int>(sizeof(T));

// The vector at p, which may have any alignment.
template <class T>
INTENT_HOST_DEVICE Vector<T> load_vector(const T* p) noexcept {
    Vector<T> vector;
    std::memcpy(&vector, p, sizeof vector);
    return vector;
}

// Writes the vector to p, which may have any alignment.
template <class T>
INTENT_HOST_DEVICE void store_vector(T* p, Vector<T> vector) noexcept {
    std::memcpy(p, &vector, sizeof vector);
}

// x in every lane.
template <class T>
INTENT_HOST_DEVICE Vector<T> splat_vector(T x) noexcept {
    return static_cast<typename vector_detail::LaneType<T>::Type>(x) - Vector<T>{};
}

// The sum of all lanes, added in pairs.
template <class T>
INTENT_HOST_DEVICE T sum_of_lanes(Vector<T> vector) noexcept {
    using Lane = typename vector_detail::LaneType<T>::Type;
    Lane lanes[kVectorLanes<T>];
    std::memcpy(lanes, &vector, sizeof vector);
    for (int step = kVectorLanes<T> / 2; step > 0; step /= 2) {
        for (int lane = 0; lane < step; ++lane) {
            lanes[lane] = static_cast<Lane>(lanes[lane] + lanes[lane + step]);
        }
    }
    return static_cast<T>(lanes[0]);
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
