// Additions into places that the data choose, also where many meet: without atomics, balanced however skewed the places
// are, with the same result at every run.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/partition.hpp>
#include <intent/cpu/rows_ahead.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/integer.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace scatter_detail {

struct ScatterItems;    // scratch of the calling thread, written by its team
struct ScatterBegins;   // the same
struct ScatterPartial;  // the same: sums of their own of threads or pieces

// Items that are sorted by place together; what they need in scratch memory stays bounded.
constexpr index_t kScatterBatch = index_t{1} << 22;
// Bytes of the places of one bucket: they stay in L2 while its items are added.
constexpr index_t kBucketBytes = index_t{1} << 17;
constexpr index_t kMostBuckets = 1024;
constexpr index_t kFewestBuckets = 64;
// A bucket with more than one in so many of the items is added in as many pieces, each with sums of its own.
constexpr index_t kCrowdedShare = 16;
// What sums of their own of all threads take at most.
constexpr index_t kPrivateBytes = index_t{1} << 26;
// Numbers have several sums each, so that equal neighbours do not wait for each other: kMostCopies while all of them
// stay in L1, and four while they take no more than so many bytes. Sixteen are enough; half of them leave more of the
// smaller L1 of machines with 32-byte vectors.
constexpr int kMostCopies = kVectorBytes == 64 ? 16 : 8;
constexpr index_t kNearBytes = kMostCopies * (index_t{1} << 11);
constexpr index_t kCopiedBytes = index_t{1} << 17;

// An addition of one number: its place inside its bucket.
template <class T>
struct ScatterUpdate {
    std::uint32_t place;
    T value;
};

// add(i, j) for 0 <= j < width; one number without the loop.
template <bool kOne, class Body>
INTENT_HOST_DEVICE void for_width(index_t width, Body body) {
    if constexpr (kOne) {
        body(index_t{0});
    } else {
        #pragma omp simd
        for (index_t j = 0; j < width; ++j) {
            body(j);
        }
    }
}

// Everything that an addition into rows needs to know.
template <class Row, class Value, class Target>
struct Scatter {
    index_t count;
    index_t width;
    index_t rows;
    Row row;
    Value value;
    Target target;

    using T = std::decay_t<decltype(std::declval<Value&>()(index_t{0}, index_t{0}))>;
};

// Adds rows [first, last) to the rows of `target`.
template <bool kOne, class S, class Target>
void add_rows(const S& s, index_t first, index_t last, Target target) {
    using T = typename S::T;
    const index_t ahead = kOne ? 0 : detail::rows_ahead(s.width * index_t{sizeof(T)});
    for (index_t i = first; i < last; ++i) {
        if (ahead > 0 && i + ahead < last) {
            detail::ask_for_row<T>(s.row(i + ahead), s.width, target);
        }
        const index_t row = s.row(i);
        for_width<kOne>(s.width, [&](index_t j) {
            T& place = target(row, j);
            place = Add{}(place, static_cast<T>(s.value(i, j)));
        });
    }
}

// Wide rows: each thread adds a run of columns of all of them.
template <class S>
void scatter_by_columns(const S& s) {
    constexpr index_t kRun = 256;
    #pragma omp parallel for schedule(static)
    for (index_t begin = 0; begin < s.width; begin += kRun) {
        const index_t end = least(begin + kRun, s.width);
        for (index_t i = 0; i < s.count; ++i) {
            const index_t row = s.row(i);
            #pragma omp simd
            for (index_t j = begin; j < end; ++j) {
                typename S::T& place = s.target(row, j);
                place = Add{}(place, static_cast<typename S::T>(s.value(i, j)));
            }
        }
    }
}

// Adds the sums of pieces [begin, end), at sums_of(piece) for `rows` rows of s.width, to the rows from `first` on, in
// order; there are kCopies sums for each number.
template <int kCopies, class S, class SumsOf>
void add_partials(const S& s, SumsOf sums_of, index_t begin, index_t end, index_t first, index_t rows) {
    const index_t width = s.width * kCopies;
    #pragma omp parallel for schedule(static) if (rows * width * (end - begin) >= kParallelWork)
    for (index_t row = 0; row < rows; ++row) {
        for (index_t piece = begin; piece < end; ++piece) {
            const typename S::T* const own = sums_of(piece) + row * width;
            for (index_t j = 0; j < s.width; ++j) {
                typename S::T& place = s.target(first + row, j);
                typename S::T sum = place;
                for (int copy = 0; copy < kCopies; ++copy) {
                    sum = Add{}(sum, own[j * kCopies + copy]);
                }
                place = sum;
            }
        }
    }
}

// Numbers whose places are looked up before they are added: additions then wait for nothing but their sums. They are so
// few that a processor looks up the next ones while these are added: machines with 32-byte vectors see less far ahead.
constexpr int kStaged = kVectorBytes == 64 ? 256 : 64;

// Two neighbours read at once: machines with 32-byte vectors run out of loads and stores first.
template <class T>
constexpr bool kReadPairs = kVectorBytes < 64 && std::is_integral_v<T> && sizeof(T) == 4;

template <class T>
struct Neighbours {
    T first;
    T second;
};

template <class T>
INTENT_HOST_DEVICE Neighbours<T> neighbours(const T* p) noexcept {
    if constexpr (kReadPairs<T>) {
        std::uint64_t both;
        std::memcpy(&both, p, sizeof both);
        return {static_cast<T>(static_cast<std::uint32_t>(both)), static_cast<T>(both >> 32)};
    } else {
        return {p[0], p[1]};
    }
}

// Adds the numbers from `begin` on, at most kStaged, to kCopies sums of each place, which lie side by side, in turn.
template <int kCopies, class S>
INTENT_HOST_DEVICE void add_staged(const S& s, index_t begin, int size, typename S::T* sums) {
    using T = typename S::T;
    std::uint32_t places[kStaged];
    T added[kStaged];
    #pragma omp simd
    for (int k = 0; k < size; ++k) {
        places[k] = static_cast<std::uint32_t>(s.row(begin + k)) * kCopies + static_cast<std::uint32_t>(k % kCopies);
        added[k] = static_cast<T>(s.value(begin + k, 0));
    }
    const auto add = [=](std::uint32_t place, T number) { sums[place] = Add{}(sums[place], number); };
    #pragma GCC unroll 4
    for (int k = 0; k + 1 < size; k += 2) {
        const Neighbours<std::uint32_t> place = neighbours(places + k);
        const Neighbours<T> number = neighbours(added + k);
        add(place.first, number.first);
        add(place.second, number.second);
    }
    if (size % 2 != 0) {
        add(places[size - 1], added[size - 1]);
    }
}

// The same for numbers [first, last). `s` is a copy: what its functions hold then lies in registers, also where they
// need it under a condition only, and they become vectors.
template <int kCopies, class S>
void add_numbers(S s, index_t first, index_t last, typename S::T* sums) {
    index_t i = first;
    for (; i + kStaged <= last; i += kStaged) {
        add_staged<kCopies>(s, i, kStaged, sums);
    }
    add_staged<kCopies>(s, i, static_cast<int>(last - i), sums);
}

// Each thread has sums of its own, kCopies for each place, and a share of the numbers.
template <int kCopies, class S>
void scatter_by_copies(const S& s) {
    using T = typename S::T;
    const index_t size = s.rows * kCopies;
    const auto sums = team_scratch<T, ScatterPartial>(size);
    index_t threads = 0;
    #pragma omp parallel if (s.count >= kParallelWork)
    {
        const index_t team = current_team_size();
        const index_t member = detail::team_member();
        T* const own = sums.own();
        for (index_t place = 0; place < size; ++place) {
            own[place] = T(0);
        }
        if (member == 0) {
            threads = team;
        }
        const index_t share = s.count / team;
        add_numbers<kCopies>(s, member * share, member == team - 1 ? s.count : (member + 1) * share, own);
    }
    add_partials<kCopies>(s, [=](index_t thread) { return sums.of(thread); }, 0, threads, 0, s.rows);
}

// Each thread has a share of the rows, and sums of its own for them; the first one adds to the target itself.
template <class S>
void scatter_by_sums(const S& s) {
    using T = typename S::T;
    const index_t size = s.rows * s.width;
    const auto sums = team_scratch<T, ScatterPartial>(size);
    index_t threads = 0;
    #pragma omp parallel
    {
        const index_t team = current_team_size();
        const index_t member = detail::team_member();
        const index_t first = s.count / team * member;
        const index_t last = member == team - 1 ? s.count : first + s.count / team;
        if (member == 0) {
            threads = team;
            add_rows<false>(s, first, last, s.target);
        } else {
            T* const own = sums.own();
            for (index_t place = 0; place < size; ++place) {
                own[place] = T(0);
            }
            add_rows<false>(s, first, last, [&](index_t row, index_t j) -> T& { return own[row * s.width + j]; });
        }
    }
    add_partials<1>(s, [=](index_t thread) { return sums.of(thread); }, 1, threads, 0, s.rows);
}

// Many rows: the items are sorted by ranges of rows, and each range has one owner.
template <bool kOne, class S>
class ScatterByOwner {
    using T = typename S::T;
    using Item = std::conditional_t<kOne, ScatterUpdate<T>, std::uint32_t>;

public:
    explicit ScatterByOwner(const S& s) : s_(s) {
        const index_t row_bytes = s.width * static_cast<index_t>(sizeof(T));
        while (((index_t{2} << shift_) * row_bytes <= kBucketBytes && s.rows >> shift_ >= 2 * kFewestBuckets) ||
               s.rows >> shift_ >= kMostBuckets) {
            ++shift_;
        }
        buckets_ = ceil_div(s.rows, index_t{1} << shift_);
    }

    void run() {
        items_ = thread_scratch<Item, ScatterItems>(least(s_.count, kScatterBatch));
        begins_ = thread_scratch<index_t, ScatterBegins>(buckets_ + 1);
        for (first_ = 0; first_ < s_.count; first_ += kScatterBatch) {
            run_batch(least(kScatterBatch, s_.count - first_));
        }
    }

private:
    void run_batch(index_t count) {
        const S s = s_;
        const index_t first = first_;
        const int shift = shift_;
        detail::partition(
            count, buckets_, [=](index_t i) { return s.row(first + i) >> shift; },
            [=](index_t i) { return item(s, shift, first + i, i); }, items_, begins_);
        const bool sums_fit = kCrowdedShare * s.width * (index_t{sizeof(T)} << shift_) <= kPrivateBytes;
        const index_t crowded = sums_fit ? most(count / kCrowdedShare, kParallelWork / most(1, s.width)) : count;
        for (index_t bucket = 0; bucket < buckets_; ++bucket) {
            if (begins_[bucket + 1] - begins_[bucket] > crowded) {
                add_in_pieces(bucket);
            }
        }
        #pragma omp parallel for schedule(dynamic, 1) if (count * s.width >= kParallelWork)
        for (index_t bucket = 0; bucket < buckets_; ++bucket) {
            if (begins_[bucket + 1] - begins_[bucket] <= crowded) {
                const index_t base = bucket << shift_;
                add_items(begins_[bucket], begins_[bucket + 1], base,
                          [&](index_t row, index_t j) -> T& { return s_.target(base + row, j); });
            }
        }
    }

    static Item item(const S& s, int shift, index_t i, index_t in_batch) {
        if constexpr (!kOne) {
            return static_cast<Item>(in_batch);
        } else {
            const auto place = static_cast<std::uint32_t>(s.row(i) & ((index_t{1} << shift) - 1));
            return {place, static_cast<T>(s.value(i, 0))};
        }
    }

    // Adds items from begin to end; `target` counts rows from the first row of their bucket, `base`.
    template <class Target>
    void add_items(index_t begin, index_t end, index_t base, Target target) const {
        for (index_t k = begin; k < end; ++k) {
            if constexpr (kOne) {
                T& place = target(items_[k].place, 0);
                place = Add{}(place, items_[k].value);
            } else {
                const index_t i = first_ + items_[k];
                const index_t row = s_.row(i) - base;
                for_width<false>(s_.width, [&](index_t j) {
                    T& place = target(row, j);
                    place = Add{}(place, static_cast<T>(s_.value(i, j)));
                });
            }
        }
    }

    // One crowded bucket on all threads. The pieces do not depend on their number.
    void add_in_pieces(index_t bucket) {
        const index_t base = bucket << shift_;
        const index_t rows = least(index_t{1} << shift_, s_.rows - base);
        const index_t size = rows * s_.width;
        const index_t begin = begins_[bucket];
        const index_t count = begins_[bucket + 1] - begin;
        T* const sums = thread_scratch<T, ScatterPartial>(kCrowdedShare * size);
        #pragma omp parallel for schedule(dynamic, 1)
        for (index_t piece = 0; piece < kCrowdedShare; ++piece) {
            T* const own = sums + piece * size;
            for (index_t place = 0; place < size; ++place) {
                own[place] = T(0);
            }
            add_items(begin + count * piece / kCrowdedShare, begin + count * (piece + 1) / kCrowdedShare, base,
                      [&](index_t row, index_t j) -> T& { return own[row * s_.width + j]; });
        }
        add_partials<1>(s_, [=](index_t piece) { return sums + piece * size; }, 0, kCrowdedShare, base, rows);
    }

    const S& s_;
    int shift_ = 0;
    index_t buckets_ = 0;
    index_t first_ = 0;
    Item* items_ = nullptr;
    index_t* begins_ = nullptr;
};

template <class S>
void scatter_numbers(const S& s) {
    const index_t threads = detail::expected_threads();
    const index_t bytes = s.rows * index_t{sizeof(typename S::T)};
    if (2 * kMostCopies * s.rows * threads <= s.count && kMostCopies * bytes <= kNearBytes) {
        scatter_by_copies<kMostCopies>(s);
    } else if (2 * 4 * s.rows * threads <= s.count && 4 * bytes <= kCopiedBytes) {
        scatter_by_copies<4>(s);
    } else if (threads == 1 || s.count < kParallelWork) {
        add_rows<true>(s, 0, s.count, s.target);
    } else if (2 * s.rows * threads <= s.count && bytes * threads <= kPrivateBytes) {
        scatter_by_copies<1>(s);
    } else {
        ScatterByOwner<true, S>(s).run();
    }
}

template <class S>
void scatter_rows(const S& s) {
    const index_t threads = detail::expected_threads();
    const index_t bytes = s.rows * s.width * index_t{sizeof(typename S::T)};
    if (threads == 1 || s.count * s.width < kParallelWork) {
        add_rows<false>(s, 0, s.count, s.target);
    } else if (2 * s.rows * threads <= s.count && bytes * threads <= kPrivateBytes) {
        scatter_by_sums(s);
    } else if (s.width >= 256 * threads) {
        scatter_by_columns(s);
    } else {
        ScatterByOwner<false, S>(s).run();
    }
}

}  // namespace scatter_detail

// target(row(i), j) += value(i, j) for 0 <= i < count, 0 <= j < width, on all threads. row(i) lies in [0, rows) and is
// an index_t; target(r, j) is a reference, of an element of its own for each r and j. Integers wrap. The order of
// floating point additions depends on the sizes and the number of threads, not on chance. `row` and `value` may be
// called twice.
template <class Row, class Value, class Target>
void scatter_add(index_t count, index_t width, index_t rows, Row row, Value value, Target target) {
    const scatter_detail::Scatter<Row, Value, Target> s{count, width, rows, row, value, target};
    if (width == 1) {
        scatter_detail::scatter_numbers(s);
    } else if (width > 1) {
        scatter_detail::scatter_rows(s);
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
