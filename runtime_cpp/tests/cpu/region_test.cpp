#include <intent/cpu/region.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

// Maps x -> scale x + offset modulo 2^64, composed: they do not commute.
struct Affine {
    std::uint64_t scale;
    std::uint64_t offset;
};

Affine composed(Affine f, Affine g) { return {f.scale * g.scale, f.offset * g.scale + g.offset}; }

Affine map_at(index_t i) { return {static_cast<std::uint64_t>(2 * i + 3), static_cast<std::uint64_t>(i * i)}; }

Affine summary_of(index_t begin, index_t size) {
    Affine all = map_at(begin);
    for (index_t i = begin + 1; i < begin + size; ++i) {
        all = composed(all, map_at(i));
    }
    return all;
}

const index_t kExtents[] = {0, 1, 2, 3, 63, 64, 65, 127, 1009, 2048};
const index_t kSlices[] = {1, 7, 64, 1000, 3000};

void folds() {
    for (const index_t extent : kExtents) {
        for (const index_t slice : kSlices) {
            const Affine identity{77, 99};
            const Affine expected = extent == 0 ? identity : summary_of(0, extent);
            const auto summarize = [](index_t begin, index_t size) { return summary_of(begin, size); };
            const auto combine = [](Affine f, Affine g) { return composed(f, g); };
            const Affine one = region_fold(extent, slice, identity, summarize, combine);
            const Affine all = parallel_region_fold(extent, slice, identity, summarize, combine);
            EXPECT(one.scale == expected.scale && one.offset == expected.offset);
            EXPECT(all.scale == expected.scale && all.offset == expected.offset);
        }
    }
}

// Each position gets the state before it and is passed to it, and the state after all is returned.
void scans() {
    for (const index_t extent : kExtents) {
        std::vector<std::uint64_t> expected;
        std::uint64_t state = 5;
        for (index_t i = 0; i < extent; ++i) {
            state = map_at(i).scale * state + map_at(i).offset;
            expected.push_back(state);
        }
        for (const index_t slice : kSlices) {
            const auto run = [=](auto scan, std::uint64_t* out) {
                return scan(
                    extent, slice, std::uint64_t{5},
                    [](index_t begin, index_t size) { return summary_of(begin, size); },
                    [](Affine summary, std::uint64_t before) { return summary.scale * before + summary.offset; },
                    [=](index_t begin, index_t size, std::uint64_t before) {
                        for (index_t i = begin; i < begin + size; ++i) {
                            before = map_at(i).scale * before + map_at(i).offset;
                            out[i] = before;
                        }
                    });
            };
            std::vector<std::uint64_t> one(expected.size());
            std::vector<std::uint64_t> all(expected.size());
            EXPECT(run([](auto... arguments) { return region_scan(arguments...); }, one.data()) == state);
            EXPECT(run([](auto... arguments) { return parallel_region_scan(arguments...); }, all.data()) == state);
            EXPECT(one == expected);
            EXPECT(all == expected);
        }
    }
}

// Summaries and states of several numbers in slots, rounded: the same on one thread and on all.
void slots() {
    constexpr index_t kExtent = 5003;
    constexpr index_t kWidth = 3;
    const auto number = [](index_t i, index_t j) { return 1.0f / static_cast<float>(1 + i + 7 * j); };
    const auto fold_all = [=](index_t slot_count) {
        std::vector<float> memory(static_cast<std::size_t>(slot_count * kWidth));
        float* const sums = memory.data();
        parallel_region_fold_into(
            kExtent, 50, [](index_t) {},
            [=](index_t begin, index_t size, index_t slot) {
                for (index_t j = 0; j < kWidth; ++j) {
                    sums[slot * kWidth + j] = 0.0f;
                    for (index_t i = begin; i < begin + size; ++i) {
                        sums[slot * kWidth + j] += number(i, j);
                    }
                }
            },
            [=](index_t into, index_t from) {
                for (index_t j = 0; j < kWidth; ++j) {
                    sums[into * kWidth + j] += sums[from * kWidth + j];
                }
            });
        return std::vector<float>(memory.begin(), memory.begin() + kWidth);
    };
    const std::vector<float> several = fold_all(region_fold_slots());
    std::vector<float> one;
    #pragma omp parallel num_threads(1)
    one = fold_all(region_fold_slots());
    EXPECT(several == one);

    const auto scan_all = [=](std::vector<float>* out, bool parallel) {
        std::vector<float> summary_memory(static_cast<std::size_t>(region_scan_summaries()));
        std::vector<float> state_memory(static_cast<std::size_t>(region_scan_states()), -1.0f);
        out->assign(kExtent, 0.0f);
        float* const summaries = summary_memory.data();
        float* const states = state_memory.data();
        float* const results = out->data();
        states[0] = 0.5f;
        const auto summarize = [=](index_t begin, index_t size, index_t slot) {
            float sum = 0.0f;
            for (index_t i = begin; i < begin + size; ++i) {
                sum += number(i, 0);
            }
            summaries[slot] = sum;
        };
        const auto apply = [=](index_t summary, index_t state, index_t next) {
            states[next] = 0.75f * states[state] + summaries[summary];
        };
        const auto emit = [=](index_t begin, index_t size, index_t state) {
            for (index_t i = begin; i < begin + size; ++i) {
                results[i] = states[state] * number(i, 1);
            }
        };
        const index_t last = parallel ? parallel_region_scan_into(kExtent, 50, summarize, apply, emit)
                                      : region_scan_into(kExtent, 50, summarize, apply, emit);
        return states[last];
    };
    std::vector<float> on_all;
    std::vector<float> on_one;
    EXPECT(scan_all(&on_all, true) == scan_all(&on_one, false));
    EXPECT(on_all == on_one);
}

}  // namespace

int main() {
    folds();
    scans();
    slots();
    return expect::failures();
}
