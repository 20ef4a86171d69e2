#include <intent/cpu/scan.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <vector>

using namespace intent;

namespace {

template <class T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Of zeros that are equal, what the blocks before come to on all threads may be either.
template <class T>
bool same_number(T a, T b) {
    return a == b || (is_nan(a) && is_nan(b));
}

// The prefix of each position, one member after the other.
template <ScanKind kKind, class T, class Combine>
std::vector<T> in_turn(const std::vector<T>& x, Combine combine) {
    const auto count = static_cast<index_t>(x.size());
    std::vector<T> result(x.size());
    detail::Carry<T> carry{Combine::template identity<T>(), !detail::scans_inclusive(kKind)};
    for (index_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(detail::scans_reverse(kKind) ? count - 1 - i : i);
        if (!detail::scans_inclusive(kKind)) {
            result[at] = carry.value;
        }
        detail::advance_carry(carry, x[at], combine);
        if (detail::scans_inclusive(kKind)) {
            result[at] = carry.value;
        }
    }
    return result;
}

// Into other memory, in place of the members, with more made of each prefix, and on all threads.
template <ScanKind kKind, class T, class Combine>
void check_line(const std::vector<T>& x, Combine combine) {
    const auto count = static_cast<index_t>(x.size());
    const std::vector<T> expected = in_turn<kKind>(x, combine);
    std::vector<T> apart(x.size() + 1, T{7});
    std::vector<T> place = x;
    std::vector<T> twice(x.size());
    std::vector<T> all(x.size());
    place.push_back(T{7});
    const T identity = Combine::template identity<T>();
    const T* const p = x.data();
    T* const q = apart.data();
    T* const r = place.data();
    T* const s = twice.data();
    T* const t = all.data();
    scan_row<kKind>(
        count, identity, combine, [=](index_t i) { return p[i]; },
        [=](index_t i, T prefix) {
            q[i] = prefix;
            s[i] = p[i];
        });
    scan_row<kKind>(
        count, identity, combine, [=](index_t i) { return r[i]; }, [=](index_t i, T prefix) { r[i] = prefix; });
    parallel_scan<kKind>(
        count, identity, combine, [=](index_t i) { return p[i]; }, [=](index_t i, T prefix) { t[i] = prefix; });
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT(same_bits(q[i], expected[i]) && same_bits(r[i], expected[i]));
        EXPECT(same_bits(s[i], x[i]) && same_number(t[i], expected[i]));
    }
    EXPECT(q[count] == T{7} && r[count] == T{7});
}

// All kinds for the types of four bytes; the others differ from these in no more than the type: one of each direction.
enum class Kinds { kAll, kTwo };

template <class T, Kinds kKinds, class Combine>
void every_size(Combine combine, const std::function<T()>& make) {
    std::vector<index_t> sizes;
    for (index_t count = 0; count <= 200; ++count) {
        sizes.push_back(count);
    }
    sizes.insert(sizes.end(), {1000, 1023, 1024, 1025, 4097, 70001});
    for (const index_t count : sizes) {
        std::vector<T> x;
        while (static_cast<index_t>(x.size()) < count) {
            x.push_back(make());
        }
        check_line<ScanKind::kInclusive>(x, combine);
        check_line<ScanKind::kExclusiveReverse>(x, combine);
        if constexpr (kKinds == Kinds::kAll) {
            check_line<ScanKind::kExclusive>(x, combine);
            check_line<ScanKind::kInclusiveReverse>(x, combine);
        }
    }
}

// Small numbers and the ends of the range: sums wrap.
template <class T, Kinds kKinds, class... Combine>
void integers(Combine... combine) {
    test::Random random(11);
    const auto make = [&] {
        switch (random.bits() % 8) {
            case 0:
                return std::numeric_limits<T>::max();
            case 1:
                return std::numeric_limits<T>::lowest();
            default:
                return static_cast<T>(random.bits());
        }
    };
    (every_size<T, kKinds>(combine, make), ...);
}

// Zeros of both signs, infinities, and in some of the lines a NaN.
template <class T, Kinds kKinds>
void floats() {
    test::Random random(12);
    const auto make = [&](std::uint64_t one_in) {
        return [&random, one_in]() -> T {
            if (one_in != 0 && random.bits() % one_in == 0) {
                return quiet_nan<T>();
            }
            switch (random.bits() % 6) {
                case 0:
                    return T(0);
                case 1:
                    return -T(0);
                case 2:
                    return lowest<T>();
                default:
                    return static_cast<T>(random.integer(-3, 3));
            }
        };
    };
    for (const std::uint64_t one_in : {std::uint64_t{0}, std::uint64_t{40}, std::uint64_t{400}}) {
        every_size<T, kKinds>(Maximum{}, make(one_in));
        every_size<T, kKinds>(Minimum{}, make(one_in));
    }
    const auto zero = [&]() -> T { return random.bits() % 2 == 0 ? T(0) : -T(0); };
    every_size<T, kKinds>(Maximum{}, zero);
    every_size<T, kKinds>(Minimum{}, zero);
    every_size<T, kKinds>(Maximum{}, [] { return lowest<T>(); });
}

// A line with more positions than an int has: the same prefixes in parts of any length.
void long_lines() {
    const index_t most = std::numeric_limits<int>::max();
    volatile index_t more = 200;  // known to nobody, as lengths are
    const index_t count = most + more;
    const index_t first = most - 100;
    std::vector<std::int64_t> found(300);
    std::int64_t* const p = found.data();
    const auto value = [=](index_t i) { return i; };
    const auto store = [=](index_t i, std::int64_t prefix) { p[i - first] = prefix; };
    const std::int64_t total = detail::scan_range<ScanKind::kInclusive, true>(
        count, first, count, detail::Carry<std::int64_t>{5, true}, Add{}, value, store);
    std::int64_t sum = 5;
    for (index_t i = first; i < count; ++i) {
        sum += i;
        EXPECT(p[i - first] == sum);
    }
    EXPECT(total == sum - 5);
    EXPECT(!scans_in_one_pass(count) && scans_in_one_pass(most));
}

}  // namespace

int main() {
    integers<std::int32_t, Kinds::kAll>(Add{}, Maximum{}, Minimum{});
    integers<std::uint32_t, Kinds::kTwo>(Maximum{});
    integers<std::int64_t, Kinds::kTwo>(Add{}, Minimum{});
    integers<std::uint64_t, Kinds::kTwo>(Minimum{});
    floats<float, Kinds::kAll>();
    floats<double, Kinds::kTwo>();
    long_lines();
    return expect::failures();
}
