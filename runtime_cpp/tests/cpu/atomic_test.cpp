#include <intent/cpu/atomic.hpp>

#include "../expect.hpp"

#include <cmath>
#include <thread>
#include <vector>

using namespace intent;

namespace {

constexpr int kThreads = 3;
constexpr int kTurns = 2000;

// Runs body(thread) on kThreads threads.
template <class Body>
void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([=] { body(thread); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// One element in the middle of three: neighbours stay as they are.
template <class T>
void every_operation() {
    T x[3] = {T(1), T(5), T(1)};
    EXPECT(atomic_load<Order::kAcquire>(&x[1]) == T(5));
    atomic_store<Order::kRelease>(&x[1], T(6));
    EXPECT(atomic_exchange<Order::kAcqRel>(&x[1], T(7)) == T(6) && x[1] == T(7));
    EXPECT(atomic_add<Order::kRelaxed>(&x[1], T(3)) == T(7) && x[1] == T(10));
    EXPECT(atomic_max<Order::kRelaxed>(&x[1], T(9)) == T(10) && x[1] == T(10));
    EXPECT(atomic_max<Order::kAcquire>(&x[1], T(12)) == T(10) && x[1] == T(12));
    EXPECT(atomic_min<Order::kRelease>(&x[1], T(11)) == T(12) && x[1] == T(11));
    EXPECT(atomic_min<Order::kAcqRel>(&x[1], T(13)) == T(11) && x[1] == T(11));
    const Exchanged<T> done = atomic_compare_exchange<Order::kAcqRel>(&x[1], T(11), T(2));
    EXPECT(done.success && done.old_value == T(11) && x[1] == T(2));
    const Exchanged<T> refused = atomic_compare_exchange<Order::kRelease>(&x[1], T(11), T(3));
    EXPECT(!refused.success && refused.old_value == T(2) && x[1] == T(2));
    EXPECT(x[0] == T(1) && x[2] == T(1));
    if constexpr (std::is_integral_v<T>) {
        x[1] = 12;
        EXPECT(atomic_and<Order::kRelaxed>(&x[1], T(10)) == T(12) && x[1] == T(8));
        EXPECT(atomic_or<Order::kAcquire>(&x[1], T(3)) == T(8) && x[1] == T(11));
        EXPECT(atomic_xor<Order::kRelease>(&x[1], T(6)) == T(11) && x[1] == T(13));
        x[1] = highest<T>();
        EXPECT(atomic_add<Order::kRelaxed>(&x[1], T(1)) == highest<T>() && x[1] == lowest<T>());
    }
    const T fixed = T(4);
    EXPECT(atomic_load<Order::kRelaxed>(&fixed) == T(4));
}

// Nothing of what several threads do is lost.
template <class T>
void additions_of_all_threads() {
    T x[2] = {T(0), T(0)};
    T* const p = x;
    const int turns = sizeof(T) == 2 ? 80 : kTurns;  // whole numbers that f16 and bf16 hold
    on_threads([=](int) {
        for (int turn = 0; turn < turns; ++turn) {
            atomic_add<Order::kRelaxed>(p + 1, T(1));
        }
    });
    EXPECT(x[0] == T(0) && x[1] == T(kThreads * turns));
}

void extremes_of_all_threads() {
    float low = infinity<float>();
    double high = -infinity<double>();
    float* const p = &low;
    double* const q = &high;
    on_threads([=](int thread) {
        for (int turn = 0; turn < kTurns; ++turn) {
            atomic_min<Order::kRelaxed>(p, static_cast<float>(-turn * kThreads - thread));
            atomic_max<Order::kRelaxed>(q, static_cast<double>(turn * kThreads + thread));
        }
    });
    EXPECT(low == static_cast<float>(1 - kThreads * kTurns) && high == kThreads * kTurns - 1);
    atomic_max<Order::kRelaxed>(q, quiet_nan<double>());
    EXPECT(is_nan(high));
    atomic_max<Order::kRelaxed>(q, 1.0);
    EXPECT(is_nan(high));
}

// Floats are compared by their bits.
void bits_decide() {
    float x = -0.0f;
    EXPECT(!atomic_compare_exchange<Order::kRelaxed>(&x, 0.0f, 1.0f).success && std::signbit(x));
    x = quiet_nan<float>();
    EXPECT(atomic_compare_exchange<Order::kRelaxed>(&x, quiet_nan<float>(), 1.0f).success && x == 1.0f);
}

// What was written before a release is seen after the acquire that reads it.
void publication() {
    std::vector<int> data(kTurns, 0);
    int flag = 0;
    int* const p = data.data();
    int* const ready = &flag;
    bool seen = true;
    bool* const all_seen = &seen;
    std::thread reader([=] {
        for (int turn = 0; turn < kTurns; ++turn) {
            while (atomic_load<Order::kAcquire>(ready) <= turn) {
                std::this_thread::yield();
            }
            *all_seen = *all_seen && p[turn] == turn + 1;
        }
    });
    for (int turn = 0; turn < kTurns; ++turn) {
        p[turn] = turn + 1;
        atomic_store<Order::kRelease>(ready, turn + 1);
    }
    reader.join();
    EXPECT(seen);
}

}  // namespace

int main() {
    every_operation<std::int8_t>();
    every_operation<std::uint8_t>();
    every_operation<std::int16_t>();
    every_operation<std::uint16_t>();
    every_operation<std::int32_t>();
    every_operation<std::uint32_t>();
    every_operation<std::int64_t>();
    every_operation<std::uint64_t>();
    every_operation<float>();
    every_operation<double>();
    every_operation<f16>();
    every_operation<bf16>();
    additions_of_all_threads<std::int32_t>();
    additions_of_all_threads<std::int64_t>();
    additions_of_all_threads<float>();
    additions_of_all_threads<double>();
    additions_of_all_threads<f16>();
    additions_of_all_threads<bf16>();
    extremes_of_all_threads();
    bits_decide();
    publication();
    bool flag = false;
    EXPECT(!atomic_exchange<Order::kRelaxed>(&flag, true) && flag);
    return expect::failures();
}
