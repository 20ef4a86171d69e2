// Memory that runs out, wherever in a call it does: the caller gets std::bad_alloc, and nothing ends the program.
#include <intent/combine.hpp>
#include <intent/cpu/fold_rows.hpp>
#include <intent/cpu/matmul.hpp>
#include <intent/cpu/ragged_rows.hpp>
#include <intent/cpu/scan_columns.hpp>
#include <intent/cpu/scratch.hpp>

#include "../expect.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace {

std::atomic<int> allocations_left{1 << 30};

}  // namespace

// What scratch memory comes from.
extern "C" void* aligned_alloc(std::size_t unit, std::size_t bytes) noexcept {
    void* data = nullptr;
    return allocations_left.fetch_sub(1) > 0 && posix_memalign(&data, unit, bytes) == 0 ? data : nullptr;
}

namespace {

using intent::index_t;

// On a thread of its own, which has no scratch memory yet: with 0, 1, 2, ... allocations until they are enough.
template <class Body>
int failures_of(Body body) {
    int failures = 0;
    bool done = false;
    while (!done) {
        std::thread([&] {
            allocations_left = failures;
            try {
                body();
                done = true;
            } catch (const std::bad_alloc&) {
            }
            allocations_left = 1 << 30;
        }).join();
        failures += done ? 0 : 1;
    }
    return failures;
}

struct RowScratch;

// Values of a body that takes memory itself.
float with_scratch(index_t i) {
    float* const own = intent::thread_scratch<float, RowScratch>(1000 + i);
    own[0] = static_cast<float>(i);
    return own[0];
}

void test_products() {
    const index_t size = 200;
    std::vector<float> a(static_cast<std::size_t>(size * size), 1.0f);
    std::vector<float> b = a;
    std::vector<float> c(a.size());
    const intent::Matrix<const float> lhs{a.data(), size, 1};
    const intent::Matrix<const float> rhs{b.data(), size, 1};
    const auto product = [&](index_t rows) {
        const intent::Matrix<float> to{c.data(), size, 1};
        return [=] { intent::matmul<float>(rows, size, size, lhs, rhs, to); };
    };
    EXPECT(failures_of(product(size)) >= 2);
    EXPECT(c.back() == static_cast<float>(size));
    EXPECT(failures_of(product(4)) >= 2);
}

void test_scans() {
    const index_t rows = 4000;
    std::vector<float> x(static_cast<std::size_t>(rows * 100), 1.0f);
    std::vector<float> y(x.size());
    const float* const from = x.data();
    float* const to = y.data();
    EXPECT(failures_of([=] {
               intent::parallel_scan_columns<intent::ScanKind::kInclusive>(
                   rows, index_t{100}, 0.0f, intent::Add{},
                   [=](index_t row, index_t column) { return from[row * 100 + column]; },
                   [=](index_t row, index_t column, float prefix) { to[row * 100 + column] = prefix; });
           }) >= 2);
    EXPECT(y.back() == static_cast<float>(rows));
}

void test_bodies_that_take_memory() {
    const index_t rows = 50000;
    std::vector<float> y(static_cast<std::size_t>(rows));
    float* const to = y.data();
    const auto offset = [](index_t row) { return row; };
    EXPECT(failures_of([=] {
               intent::ragged_rows(rows, offset, 1, [=](index_t row) { to[row] = with_scratch(row % 7); });
           }) >= 2);
    EXPECT(failures_of([=] {
               intent::ragged_folds(rows, offset, [=](index_t row, auto) { to[row] = with_scratch(row % 7); });
           }) >= 2);
    EXPECT(failures_of([=] {
               to[0] = intent::parallel_fold_rows(rows, 10, intent::Add{},
                                                  [](index_t row) { return with_scratch(row % 7); });
           }) >= 2);
}

void test_team_scratch() {
    struct Tag;
    const auto parts = intent::team_scratch<double, Tag>(3);
    std::vector<double*> found(64);
    double** const own = found.data();
    index_t members = 1;
    #pragma omp parallel
    {
        own[intent::detail::team_member()] = parts.own();
        if (intent::detail::team_member() == 0) {
            members = intent::current_team_size();
        }
    }
    for (index_t k = 1; k < members; ++k) {
        // No page of one thread's is the other's too: a core fetches lines of its page ahead.
        EXPECT(own[k] - (own[k - 1] + 3) >= 4096 / static_cast<std::ptrdiff_t>(sizeof(double)));
        EXPECT(reinterpret_cast<std::uintptr_t>(own[k]) % 64 == 0);
    }
    const index_t huge = index_t{1} << 61;
    EXPECT(failures_of([&] { intent::thread_scratch<double, Tag>(allocations_left > 2 ? 1 : huge); }) == 3);
    EXPECT(failures_of([&] { intent::team_scratch<double, Tag>(allocations_left > 2 ? 1 : huge); }) == 3);
}

}  // namespace

int main() {
    test_products();
    test_scans();
    test_bodies_that_take_memory();
    test_team_scratch();
    return expect::failures();
}
