#include <intent/cpu/scan.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <vector>

using namespace intent;

namespace {

// Around the ends of short lines, registers, parts, blocks of one thread and blocks of all.
const index_t kSizes[] = {0,  1,  2,   3,   7,    8,    9,    15,   16,   47,   48,   49,    50,    51,    57,    63,
                          65, 97, 127, 129, 1009, 1023, 1025, 2047, 2048, 2049, 4099, 16385, 32769, 40961, 131077};

template <class T, class Combine>
std::vector<T> expected_scan(ScanKind kind, const std::vector<T>& x, T identity, Combine combine) {
    const auto count = static_cast<index_t>(x.size());
    const bool inclusive = detail::scans_inclusive(kind);
    const bool reverse = detail::scans_reverse(kind);
    std::vector<T> result(x.size());
    T running = identity;
    for (index_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(reverse ? count - 1 - i : i);
        const T next = reverse ? combine(x[at], running) : combine(running, x[at]);
        result[at] = inclusive ? next : running;
        running = next;
    }
    return result;
}

// Calls check(kind constant) for every kind, or for one of each direction.
template <bool kAll, class Check>
void every_kind(Check check) {
    check(std::integral_constant<ScanKind, ScanKind::kInclusive>{});
    check(std::integral_constant<ScanKind, ScanKind::kExclusiveReverse>{});
    if constexpr (kAll) {
        check(std::integral_constant<ScanKind, ScanKind::kExclusive>{});
        check(std::integral_constant<ScanKind, ScanKind::kInclusiveReverse>{});
    }
}

// Numbers whose prefixes do not depend on grouping; on one thread and on all, into memory as it is and streamed.
template <class T, bool kAll = false, class Combine, class Make>
void exact(T identity, Combine combine, Make make) {
    for (const index_t count : kSizes) {
        std::vector<T> x(static_cast<std::size_t>(count));
        for (T& member : x) {
            member = make();
        }
        const T* const p = x.data();
        const auto value = [=](index_t i) { return p[i]; };
        every_kind<kAll>([&](auto kind) {
            const std::vector<T> expected = expected_scan<T>(kind, x, identity, combine);
            std::vector<T> row_memory(x.size() + 1, T{});
            std::vector<T> all_memory(x.size() + 1, T{});
            T* const row = row_memory.data();
            T* const all = all_memory.data();
            scan_row<kind>(count, identity, combine, value, [=](index_t i, T prefix) { row[i] = prefix; });
            parallel_scan<kind>(count, identity, combine, value, [=](index_t i, T prefix) { all[i] = prefix; });
            for (std::size_t i = 0; i < x.size(); ++i) {
                EXPECT(row[i] == expected[i] && all[i] == expected[i]);
            }
            EXPECT(row[count] == T{} && all[count] == T{});
            if constexpr (std::is_same_v<T, float>) {
                scan_row<kind>(count, identity, combine, value, Streamed{row + 1});
                finish_streaming();
                parallel_scan<kind>(count, identity, combine, value, Streamed{all + 1});
                EXPECT(count == 0 || row[0] == expected[0]);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    EXPECT(row[i + 1] == expected[i] && all[i + 1] == expected[i]);
                }
            }
        });
    }
}

template <class T>
void sums() {
    test::Random random(3);
    exact<T, std::is_same_v<T, float>>(0, Add{}, [&] { return static_cast<T>(random.integer(-9, 9)); });
}

void wrapping_and_extremes() {
    test::Random random(4);
    exact<std::int32_t, true>(0, Add{}, [&] { return static_cast<std::int32_t>(random.bits()); });
    exact<std::int16_t>(0, Add{}, [&] { return static_cast<std::int16_t>(random.bits()); });
    exact<float>(lowest<float>(), Maximum{}, [&] { return static_cast<float>(random.integer(-99, 99)); });
    exact<std::int64_t>(highest<std::int64_t>(), Minimum{}, [&] { return random.integer(-99, 99); });
    exact<f16>(lowest<f16>(), Maximum{}, [&] { return f16(random.integer(-99, 99)); });
}

// Compositions of maps x -> scale x + offset modulo 2^32: they do not commute.
struct Affine {
    std::uint32_t scale;
    std::uint32_t offset;
    friend bool operator==(Affine a, Affine b) { return a.scale == b.scale && a.offset == b.offset; }
};

void compositions() {
    test::Random random(5);
    exact<Affine, true>(
        {1, 0}, [](Affine f, Affine g) { return Affine{f.scale * g.scale, f.offset * g.scale + g.offset}; },
        [&] {
            return Affine{static_cast<std::uint32_t>(random.bits()) | 1u, static_cast<std::uint32_t>(random.bits())};
        });
}

// The grouping of rounded sums depends on the number of members alone.
template <class T, class Combine>
void same_on_all_threads(Combine combine) {
    test::Random random(6);
    for (const index_t count : {100003, 1000003}) {
        std::vector<T> x(static_cast<std::size_t>(count));
        for (T& member : x) {
            member = static_cast<T>(random.real());
        }
        const T* const p = x.data();
        std::vector<T> several(x.size());
        std::vector<T> one(x.size());
        T* const q = several.data();
        T* const r = one.data();
        parallel_scan<ScanKind::kInclusive>(
            count, T(0), combine, [=](index_t i) { return p[i]; }, [=](index_t i, T prefix) { q[i] = prefix; });
        #pragma omp parallel num_threads(1)
        parallel_scan<ScanKind::kInclusive>(
            count, T(0), combine, [=](index_t i) { return p[i]; }, [=](index_t i, T prefix) { r[i] = prefix; });
        double sum = 0.0;
        for (index_t i = 0; i < count; ++i) {
            sum += static_cast<double>(p[i]);
            EXPECT(q[i] == r[i] && std::fabs(static_cast<double>(q[i]) - sum) < 1e-2);
        }
    }
}

template <class T>
void specials() {
    for (const index_t count : {5, 49, 65, 3001}) {
        std::vector<T> x(static_cast<std::size_t>(count), T(-0.0f));
        std::vector<T> y(x.size());
        const T* const p = x.data();
        T* const q = y.data();
        const auto value = [=](index_t i) { return p[i]; };
        const auto store = [=](index_t i, T prefix) { q[i] = prefix; };
        scan_row<ScanKind::kInclusive>(count, T(0), Add{}, value, store);
        EXPECT(std::signbit(static_cast<float>(q[0])) && std::signbit(static_cast<float>(q[count - 1])));
        for (const index_t at : {index_t{0}, index_t{3}, count / 2, count - 1}) {
            x[static_cast<std::size_t>(at)] = quiet_nan<T>();
            scan_row<ScanKind::kInclusive>(count, lowest<T>(), Maximum{}, value, store);
            for (index_t i = 0; i < count; ++i) {
                EXPECT(is_nan(q[i]) == (i >= at));
            }
            scan_row<ScanKind::kExclusiveReverse>(count, T(0), Add{}, value, store);
            for (index_t i = 0; i < count; ++i) {
                EXPECT(is_nan(q[i]) == (i < at));
            }
            x[static_cast<std::size_t>(at)] = T(-0.0f);
        }
        x[0] = infinity<T>();
        x[static_cast<std::size_t>(count - 1)] = -infinity<T>();
        scan_row<ScanKind::kInclusive>(count, T(0), Add{}, value, store);
        EXPECT(q[count - 2] == infinity<T>() && is_nan(q[count - 1]));
    }
}

// Streamed lines begin and end anywhere in a line of the caches; nothing beside them is written.
template <class T>
void streamed_anywhere() {
    constexpr index_t kSpace = 9000;
    std::vector<T> memory(kSpace);
    for (const index_t begin : {0, 1, 5, 8, 15, 16, 17}) {
        for (const index_t count : {1, 3, 15, 16, 17, 100, 255, 256, 257, 300, 2047, 2048, 2065, 8000}) {
            memory.assign(kSpace, T(-7));
            T* const out = memory.data() + begin;
            scan_row<ScanKind::kInclusive>(
                count, T(0), Add{}, [=](index_t i) { return T(i % 3); }, Streamed{out});
            T sum(0);
            bool same = begin == 0 || out[-1] == T(-7);
            for (index_t i = 0; i < count; ++i) {
                sum = static_cast<T>(sum + T(i % 3));
                same = same && out[i] == sum;
            }
            EXPECT(same && out[count] == T(-7));
        }
    }
}

// In place, strided, and with an identity that is none: an exclusive scan begins with it, an inclusive one ignores it.
void in_place_and_strided() {
    constexpr index_t kCount = 70001;
    std::vector<std::int64_t> x(3 * kCount, 1);
    std::int64_t* const p = x.data();
    const auto value = [=](index_t i) { return p[3 * i]; };
    const auto store = [=](index_t i, std::int64_t prefix) { p[3 * i] = prefix; };
    parallel_scan<ScanKind::kInclusive>(kCount, std::int64_t{100}, Add{}, value, store);
    EXPECT(p[0] == 1 && p[3 * (kCount - 1)] == kCount && p[1] == 1);
    scan_row<ScanKind::kExclusive>(kCount, std::int64_t{100}, Add{}, [](index_t) { return std::int64_t{2}; }, store);
    EXPECT(p[0] == 100 && p[3 * (kCount - 1)] == 100 + 2 * (kCount - 1));
    parallel_scan<ScanKind::kExclusiveReverse>(kCount, std::int64_t{7}, Add{}, value, store);
    EXPECT(p[3 * (kCount - 1)] == 7 && p[3 * (kCount - 2)] == 107 + 2 * (kCount - 1));

    bool seen[200];
    scan_row<ScanKind::kInclusive>(
        200, false, Any{}, [](index_t i) { return i == 77; }, [&](index_t i, bool any) { seen[i] = any; });
    EXPECT(!seen[76] && seen[77] && seen[199]);
}

}  // namespace

int main() {
    sums<float>();
    sums<double>();
    sums<std::uint64_t>();
    wrapping_and_extremes();
    compositions();
    same_on_all_threads<float>(Add{});
    same_on_all_threads<float>([](float a, float b) { return a + b; });
    same_on_all_threads<double>(Add{});
    specials<float>();
    specials<double>();
    specials<f16>();
    streamed_anywhere<float>();
    streamed_anywhere<double>();
    streamed_anywhere<std::int32_t>();
    in_place_and_strided();
    return expect::failures();
}
