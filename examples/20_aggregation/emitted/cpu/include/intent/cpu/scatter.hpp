// Additions into places that the data choose, also where many meet: without atomics, balanced however skewed the places
// are, with the same result at every run.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/partition.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>
#include <intent/integer.hpp>

#include <type_traits>
#include <utility>

namespace intent {

namespace detail {

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
// So few numbers have four sums each: equal neighbours do not wait for each other.
constexpr index_t kCopiedSums = 4096;

// An addition of one number: its place inside its bucket.
template <class T>
struct ScatterUpdate {
    std::uint32_t place;
    T value;
};

struct AlwaysValid {
    constexpr bool operator()(index_t) const noexcept { return true; }
};

// The value of additions that count: their items are places alone.
template <class T>
struct ValueOne {
    constexpr T operator()(index_t, index_t) const noexcept { return T{1}; }
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
template <class Row, class Valid, class Value, class Target>
struct Scatter {
    index_t count;
    index_t width;
    index_t rows;
    Row row;
    Valid valid;
    Value value;
    Target target;

    using T = std::decay_t<decltype(std::declval<Value&>()(index_t{0}, index_t{0}))>;
};

template <bool kOne, class S>
void scatter_in_order(const S& s) {
    using T = typename S::T;
    for (index_t i = 0; i < s.count; ++i) {
        if (s.valid(i)) {
            const index_t row = s.row(i);
            for_width<kOne>(s.width, [&](index_t j) {
                T& place = s.target(row, j);
                place = Add{}(place, static_cast<T>(s.value(i, j)));
            });
        }
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
            if (s.valid(i)) {
                const index_t row = s.row(i);
                #pragma omp simd
                for (index_t j = begin; j < end; ++j) {
                    typename S::T& place = s.target(row, j);
                    place = Add{}(place, static_cast<typename S::T>(s.value(i, j)));
                }
            }
        }
    }
}

// Adds `pieces` arrays of sums over `rows` rows of s.width to the rows from `first` on, in order.
template <class S>
void add_partials(const S& s, const typename S::T* sums, index_t pieces, index_t first, index_t rows) {
    const index_t size = rows * s.width;
    #pragma omp parallel for schedule(static) if (size * pieces >= kParallelWork)
    for (index_t row = 0; row < rows; ++row) {
        for (index_t piece = 0; piece < pieces; ++piece) {
            const typename S::T* const own = sums + piece * size + row * s.width;
            for (index_t j = 0; j < s.width; ++j) {
                typename S::T& place = s.target(first + row, j);
                place = Add{}(place, own[j]);
            }
        }
    }
}

// Adds items [first, last) to kCopies arrays of sums of `size` numbers, in turn.
template <bool kOne, index_t kCopies, class S>
void add_to_sums(const S& s, index_t first, index_t last, index_t size, typename S::T* sums) {
    using T = typename S::T;
    const auto add = [=](index_t i, T* own) {
        if (s.valid(i)) {
            T* const places = own + (kOne ? s.row(i) : s.row(i) * s.width);
            for_width<kOne>(s.width, [=](index_t j) { places[j] = Add{}(places[j], static_cast<T>(s.value(i, j))); });
        }
    };
    index_t i = first;
    if constexpr (kOne && kCopies > 1 && std::is_same_v<decltype(S::valid), AlwaysValid>) {
        // Places and numbers in vectors first: the additions then wait for nothing but their sums.
        constexpr index_t kStaged = 256;
        std::int32_t places[kStaged];
        T added[kStaged];
        for (; i + kStaged <= last; i += kStaged) {
            #pragma omp simd
            for (index_t k = 0; k < kStaged; ++k) {
                places[k] = static_cast<std::int32_t>(s.row(i + k));
                added[k] = static_cast<T>(s.value(i + k, 0));
            }
            for (index_t k = 0; k < kStaged; k += kCopies) {
                #pragma GCC unroll 4
                for (index_t copy = 0; copy < kCopies; ++copy) {
                    T& sum = sums[copy * size + places[k + copy]];
                    sum = Add{}(sum, added[k + copy]);
                }
            }
        }
    }
    for (; i + kCopies <= last; i += kCopies) {
        #pragma GCC unroll 4
        for (index_t copy = 0; copy < kCopies; ++copy) {
            add(i + copy, sums + copy * size);
        }
    }
    for (; i < last; ++i) {
        add(i, sums);
    }
}

// Each thread has sums of its own and a share of the items.
template <bool kOne, index_t kCopies, class S>
void scatter_by_sums(const S& s) {
    using T = typename S::T;
    const index_t size = s.rows * s.width;
    T* const sums = thread_scratch<T, ScatterPartial>(most_threads() * kCopies * size);
    index_t pieces = 0;
    #pragma omp parallel
    {
        const index_t team = current_team_size();
        const index_t member = team_member();
        T* const own = sums + member * kCopies * size;
        for (index_t place = 0; place < kCopies * size; ++place) {
            own[place] = T(0);
        }
        if (member == 0) {
            pieces = team * kCopies;
        }
        const index_t share = s.count / team;
        add_to_sums<kOne, kCopies>(s, member * share, member == team - 1 ? s.count : (member + 1) * share, size, own);
    }
    add_partials(s, sums, pieces, 0, s.rows);
}

// Many rows: the items are sorted by ranges of rows, and each range has one owner.
template <bool kOne, class S>
class ScatterByOwner {
    using T = typename S::T;
    static constexpr bool kCounts = std::is_same_v<decltype(S::value), ValueOne<T>>;
    using Item = std::conditional_t<kOne && !kCounts, ScatterUpdate<T>, std::uint32_t>;

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
        begins_ = thread_scratch<index_t, ScatterBegins>(buckets_ + 2);
        for (first_ = 0; first_ < s_.count; first_ += kScatterBatch) {
            run_batch(least(kScatterBatch, s_.count - first_));
        }
    }

private:
    void run_batch(index_t count) {
        const S s = s_;
        const index_t first = first_;
        const int shift = shift_;
        const index_t invalid = buckets_;  // a bucket for the items that add nothing
        partition(
            count, buckets_ + 1, [=](index_t i) { return s.valid(first + i) ? s.row(first + i) >> shift : invalid; },
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
            if constexpr (kCounts) {
                return place;
            } else {
                return {place, static_cast<T>(s.value(i, 0))};
            }
        }
    }

    // Adds items from begin to end; `target` counts rows from the first row of their bucket, `base`.
    template <class Target>
    void add_items(index_t begin, index_t end, index_t base, Target target) const {
        for (index_t k = begin; k < end; ++k) {
            if constexpr (kOne && kCounts) {
                T& place = target(items_[k], 0);
                place = Add{}(place, T{1});
            } else if constexpr (kOne) {
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
        add_partials(s_, sums, kCrowdedShare, base, rows);
    }

    const S& s_;
    int shift_ = 0;
    index_t buckets_ = 0;
    index_t first_ = 0;
    Item* items_ = nullptr;
    index_t* begins_ = nullptr;
};

template <bool kOne, class S>
void scatter_parallel(const S& s) {
    const index_t threads = expected_threads();
    const index_t work = s.count * s.width;
    const index_t size = s.rows * s.width;
    const bool sums_pay =
        size * threads <= work / 2 && size * threads * index_t{sizeof(typename S::T)} <= kPrivateBytes;
    if (threads == 1 || work < kParallelWork) {
        scatter_in_order<kOne>(s);
    } else if (kOne && sums_pay && size <= kCopiedSums) {
        scatter_by_sums<kOne, kOne ? 4 : 1>(s);
    } else if (sums_pay) {
        scatter_by_sums<kOne, 1>(s);
    } else if (!kOne && s.width >= 256 * threads) {
        scatter_by_columns(s);
    } else {
        ScatterByOwner<kOne, S>(s).run();
    }
}

template <class Row, class Valid, class Value, class Target>
void scatter_valid(index_t count, index_t width, index_t rows, Row row, Valid valid, Value value, Target target) {
    const Scatter<Row, Valid, Value, Target> s{count, width, rows, row, valid, value, target};
    if (width == 1) {
        scatter_parallel<true>(s);
    } else if (width > 1) {
        scatter_parallel<false>(s);
    }
}

}  // namespace detail

// target(row(i), j) += value(i, j) for 0 <= i < count, 0 <= j < width, on all threads. row(i) lies in [0, rows) and is
// an index_t; target(r, j) is a reference, of an element of its own for each r and j. Integers wrap. The order of
// floating point additions depends on the sizes and the number of threads, not on chance. `row` and `value` may be
// called twice.
template <class Row, class Value, class Target>
void scatter_add(index_t count, index_t width, index_t rows, Row row, Value value, Target target) {
    detail::scatter_valid(count, width, rows, row, detail::AlwaysValid{}, value, target);
}

}  // namespace intent
