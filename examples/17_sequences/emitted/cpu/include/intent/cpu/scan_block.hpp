// The prefixes of a few thousand members in the first-level cache: several independent chains, or registers.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/vector.hpp>

#include <cstring>
#include <type_traits>

namespace intent {

namespace detail {

// Members that are scanned at a time: 8 KiB of them.
template <class T>
constexpr index_t kScanBlock = sizeof(T) <= 256 ? 8192 / static_cast<index_t>(sizeof(T)) : 32;

// True where a block is scanned in registers.
template <class T, class Combine>
constexpr bool kScansRegisters =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) >= 4 &&
    (std::is_same_v<Combine, Add> || std::is_same_v<Combine, Maximum> || std::is_same_v<Combine, Minimum>);

// True where members may be grouped and taken in any order without a difference in the result.
template <class T, class Combine>
constexpr bool kAnyOrder = kScansRegisters<T, Combine> && (std::is_integral_v<T> || !std::is_same_v<Combine, Add>);

// A block is scanned in so many consecutive parts; their prefixes begin anew.
template <class T, class Combine>
constexpr int kScanParts = kScansRegisters<T, Combine> ? 1 : 8;

// The first member of part `part` of a block of `size` members. The last part also has what does not divide evenly.
template <class T, class Combine>
constexpr index_t part_begin(index_t size, int part) noexcept {
    return part == kScanParts<T, Combine> ? size : size / kScanParts<T, Combine> * part;
}

// Numbers of 32 bytes on every machine: how sums are grouped does not depend on what it was compiled for.
template <class T>
struct ScanRegister {
    static constexpr int kCount = 32 / static_cast<int>(sizeof(T));
    typedef T Type __attribute__((vector_size(32)));
};

// What members are combined as: signed sums wrap.
template <class T, class Combine>
using ScanNumber = std::conditional_t<std::is_same_v<Combine, Add>, typename vector_detail::LaneType<T>::Type, T>;

// The members of `x` moved up by kSteps places within each half of it, and `fill` below them: across the halves it
// takes several times as long.
template <int kSteps, class Register>
INTENT_HOST_DEVICE void move_up_in_halves(Register& moved, const Register& x, const Register& fill) noexcept {
    if constexpr (sizeof(x[0]) == 8) {
        static_assert(kSteps == 1);
        moved = __builtin_shufflevector(fill, x, 0, 4, 2, 6);
    } else {
        static_assert(kSteps == 1 || kSteps == 2);
        if constexpr (kSteps == 1) {
            moved = __builtin_shufflevector(fill, x, 0, 8, 9, 10, 4, 12, 13, 14);
        } else {
            moved = __builtin_shufflevector(fill, x, 0, 1, 8, 9, 4, 5, 12, 13);
        }
    }
}

// The last member of the lower half of x in every place of the upper one, and `fill` below.
template <class Register>
INTENT_HOST_DEVICE void spread_half(Register& spread, const Register& x, const Register& fill) noexcept {
    if constexpr (sizeof(x[0]) == 8) {
        spread = __builtin_shufflevector(fill, x, 0, 1, 5, 5);
    } else {
        spread = __builtin_shufflevector(fill, x, 0, 1, 2, 3, 11, 11, 11, 11);
    }
}

// The members of `x` moved up by one place, and `fill` below them.
template <class Register>
INTENT_HOST_DEVICE void move_up(Register& moved, const Register& x, const Register& fill) noexcept {
    if constexpr (sizeof(x[0]) == 8) {
        moved = __builtin_shufflevector(fill, x, 0, 4, 5, 6);
    } else {
        moved = __builtin_shufflevector(fill, x, 0, 8, 9, 10, 11, 12, 13, 14);
    }
}

// x = a combined with x, member by member: the test for NaN is of x, which does not wait for what stands before it. The
// 32 bytes go by reference: by value they have no ABI without AVX.
template <class Combine, class Register>
INTENT_HOST_DEVICE void combine_register(const Register& a, Register& x) noexcept {
    if constexpr (std::is_same_v<Combine, Add>) {
        x = a + x;
    } else if constexpr (std::is_same_v<Combine, Maximum>) {
        x = x != x ? x : (x > a ? x : a);
    } else {
        x = x != x ? x : (x < a ? x : a);
    }
}

// The last member of x in every place.
template <class Register>
INTENT_HOST_DEVICE void spread_last(Register& spread, const Register& x) noexcept {
    if constexpr (sizeof(x[0]) == 8) {
        spread = __builtin_shufflevector(x, x, 3, 3, 3, 3);
    } else {
        spread = __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
    }
}

// What changes nothing before other members: -0 and not 0 for sums, for 0 + -0 would lose the sign of negative zeros.
template <class Combine, class Number>
constexpr Number scan_identity() noexcept {
    return std::is_same_v<Combine, Add> ? static_cast<Number>(-Number{0})
                                        : static_cast<Number>(Combine::template identity<Number>());
}

// The prefixes of `members` after `before`, which takes them in: one operation from register to register.
template <bool kInclusive, class Combine, class Register>
INTENT_HOST_DEVICE void scan_register(Register& prefixes, const Register& members, const Register& identity,
                                      Register& before) noexcept {
    Register x = members;
    Register moved;
    move_up_in_halves<1>(moved, x, identity);
    combine_register<Combine>(moved, x);
    if constexpr (sizeof(x[0]) == 4) {
        move_up_in_halves<2>(moved, x, identity);
        combine_register<Combine>(moved, x);
    }
    spread_half(moved, x, identity);
    combine_register<Combine>(moved, x);
    prefixes = x;
    if constexpr (!kInclusive) {
        move_up(prefixes, x, identity);
    }
    Register after;
    spread_last(after, x);
    combine_register<Combine>(before, prefixes);
    combine_register<Combine>(before, after);
    before = after;
}

template <class Combine, class T>
void scan_registers(T* members, index_t size, Combine combine) noexcept {
    using Number = ScanNumber<T, Combine>;
    using Register = typename ScanRegister<Number>::Type;
    constexpr int kCount = ScanRegister<Number>::kCount;
    const Register identity = scan_identity<Combine, Number>() - Register{};
    Register before = identity;
    index_t i = 0;
    for (; i + kCount <= size; i += kCount) {
        Register x;
        std::memcpy(&x, members + i, sizeof x);
        scan_register<true, Combine>(x, x, identity, before);
        std::memcpy(members + i, &x, sizeof x);
    }
    for (i = i > 0 ? i : 1; i < size; ++i) {
        members[i] = combine(members[i - 1], members[i]);
    }
}

template <class Combine, class T>
void scan_chains(T* members, index_t size, Combine combine) {
    constexpr int kChains = kScanParts<T, Combine>;
    const index_t length = size / kChains;
    if (length > 0) {
        T chain[kChains];
        #pragma GCC unroll 8
        for (int part = 0; part < kChains; ++part) {
            chain[part] = members[part * length];
        }
        for (index_t i = 1; i < length; ++i) {
            #pragma GCC unroll 8
            for (int part = 0; part < kChains; ++part) {
                chain[part] = combine(chain[part], members[part * length + i]);
                members[part * length + i] = chain[part];
            }
        }
    }
    for (index_t i = length > 0 ? kChains * length : 1; i < size; ++i) {
        members[i] = combine(members[i - 1], members[i]);
    }
}

// Replaces each of the `size` members by the combination of the members of its part up to it, in order.
template <class Combine, class T>
void scan_parts(T* members, index_t size, Combine combine) {
    if constexpr (kScansRegisters<T, Combine>) {
        scan_registers(members, size, combine);
    } else {
        scan_chains(members, size, combine);
    }
}

}  // namespace detail

}  // namespace intent
