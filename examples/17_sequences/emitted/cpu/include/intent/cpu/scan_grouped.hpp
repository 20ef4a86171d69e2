// Prefixes in one pass where grouping matters: the members of a line of the caches are made, scanned in registers and
// stored before the next ones are, grouped as scan_block.hpp groups them.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/carry.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scan_block.hpp>
#include <intent/cpu/scan_pass.hpp>
#include <intent/cpu/stream.hpp>

#include <cstring>
#include <type_traits>

namespace intent {

namespace detail {

// Elements of a line of the caches.
template <class T>
constexpr int kOfLine = static_cast<int>(kLineBytes / sizeof(T));

// Prefixes go to store(place, prefix), from place `next` on.
template <bool kReverse, class Store>
struct StoredPrefixes {
    Store store;
    index_t next;

    template <class T, int kCount>
    INTENT_HOST_DEVICE void put(const T (&prefixes)[kCount]) {
        #pragma omp simd
        for (int k = 0; k < kCount; ++k) {
            store(kReverse ? next - k : next + k, prefixes[k]);
        }
        next += kReverse ? -kCount : kCount;
    }
    void finish() {}
};

// Prefixes go to out[0], out[1], ... past the caches, in whole lines but for the first and the last.
template <class T>
struct StreamedPrefixes {
    T* line;        // where staged[0] belongs
    index_t begin;  // what is staged
    index_t end;
    alignas(kLineBytes) T staged[kStreamBlock<T> + kOfLine<T>];

    explicit StreamedPrefixes(T* out) noexcept
        : line(out - elements_into_line(out)), begin(elements_into_line(out)), end(begin) {}

    template <class Prefix, int kCount>
    INTENT_HOST_DEVICE void put(const Prefix (&prefixes)[kCount]) {
        for (int k = 0; k < kCount; ++k) {
            staged[end + k] = static_cast<T>(prefixes[k]);
        }
        end += kCount;
        if (end >= kStreamBlock<T>) {
            write(kStreamBlock<T>);
            std::memcpy(staged, staged + kStreamBlock<T>, kLineBytes);
            line += kStreamBlock<T>;
            begin = 0;
            end -= kStreamBlock<T>;
        }
    }
    void write(index_t to) const noexcept {
        copy_streaming(staged + begin, line + begin, static_cast<std::size_t>(to - begin) * sizeof(T));
    }
    void finish() const noexcept { write(end); }
};

// The prefixes of a register of members after `before`, which takes them in, and after `carry`.
template <bool kInclusive, class Combine, class T, class Register, class Outputs>
INTENT_HOST_DEVICE void put_register(const T* members, const Register& identity, const Register& carry,
                                     Register& before, Outputs& outputs) {
    Register x;
    std::memcpy(&x, members, sizeof x);
    scan_register<kInclusive, Combine>(x, x, identity, before);
    combine_register<Combine>(carry, x);
    T prefixes[sizeof(Register) / sizeof(T)];
    std::memcpy(prefixes, &x, sizeof x);
    outputs.put(prefixes);
}

// The prefixes of the members value(i), 0 <= i < size, each after `carried`. Returns the members combined.
template <bool kInclusive, class T, class Combine, class Value, class Outputs>
INTENT_LANE_LOOPS T scan_grouped_block(index_t size, T carried, Combine combine, Value value, Outputs& outputs) {
    using Number = ScanNumber<T, Combine>;
    using Register = typename ScanRegister<Number>::Type;
    constexpr int kCount = ScanRegister<Number>::kCount;
    const Register identity = scan_identity<Combine, Number>() - Register{};
    const Register carry = static_cast<Number>(carried) - Register{};
    Register before = identity;
    alignas(kLineBytes) T members[kOfLine<T>];
    index_t i = 0;
    for (; i + kOfLine<T> <= size; i += kOfLine<T>) {
        #pragma omp simd
        for (int k = 0; k < kOfLine<T>; ++k) {
            members[k] = static_cast<T>(value(i + k));
        }
        put_register<kInclusive, Combine>(members, identity, carry, before, outputs);
        put_register<kInclusive, Combine>(members + kCount, identity, carry, before, outputs);
    }
    if (i + kCount <= size) {
        for (int k = 0; k < kCount; ++k) {
            members[k] = static_cast<T>(value(i + k));
        }
        put_register<kInclusive, Combine>(members, identity, carry, before, outputs);
        i += kCount;
    }
    T total = static_cast<T>(before[0]);
    for (; i < size; ++i) {
        const T previous = total;
        total = combine(total, static_cast<T>(value(i)));
        const T prefixes[1] = {combine(carried, kInclusive ? total : previous)};
        outputs.put(prefixes);
    }
    return total;
}

// The same for any number of members, block after block.
template <bool kInclusive, class T, class Combine, class Value, class Outputs>
T scan_grouped_blocks(index_t size, Carry<T> carry, Combine combine, Value value, Outputs& outputs) {
    if (!carry.present) {
        carry = {static_cast<T>(scan_identity<Combine, ScanNumber<T, Combine>>()), true};
    }
    Carry<T> total{T{}, false};
    for (index_t begin = 0; begin < size; begin += kScanBlock<T>) {
        Carry<T> before = carry;
        if (total.present) {
            advance_carry(before, total.value, combine);
        }
        const index_t block = least(kScanBlock<T>, size - begin);
        const auto member = [=](index_t i) { return value(begin + i); };
        advance_carry(total, scan_grouped_block<kInclusive>(block, before.value, combine, member, outputs), combine);
    }
    outputs.finish();
    return total.value;
}

// store(i, prefix) for positions first <= i < last of a line of `count`, as scan_range gives them. Into memory past the
// caches too, but not in reverse.
template <bool kInclusive, bool kReverse, class T, class Combine, class Value, class Store>
T scan_grouped(index_t count, index_t first, index_t last, const Carry<T>& carry, Combine combine, Value value,
               Store store) {
    const index_t begin = kReverse ? count - 1 - first : first;
    const auto member = [=](index_t i) { return value(kReverse ? begin - i : begin + i); };
    if constexpr (std::is_invocable_v<Store, index_t, T>) {
        StoredPrefixes<kReverse, Store> outputs{store, begin};
        return scan_grouped_blocks<kInclusive>(last - first, carry, combine, member, outputs);
    } else {
        StreamedPrefixes<std::decay_t<decltype(*store.data)>> outputs(store.data + begin);
        return scan_grouped_blocks<kInclusive>(last - first, carry, combine, member, outputs);
    }
}

// True where that can be done.
template <bool kReverse, class T, class Combine, class Store>
constexpr bool kScansGrouped = kScansRegisters<T, Combine> && (!kReverse || std::is_invocable_v<Store, index_t, T>);

}  // namespace detail

}  // namespace intent
