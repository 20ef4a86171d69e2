// What the tests of device code share: tracked buffers, comparisons, and runs under every check and schedule.
#pragma once

#include <intent/check.hpp>
#include <intent/sim/report.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <source_location>

namespace test {

inline int failures = 0;

// Counts a failure, with its line, unless `holds`.
inline void expect(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (!holds) {
        std::printf("%s:%u: %s\n", where.file_name(), where.line(), what);
        ++failures;
    }
}

// Elements that a kernel may use, at a distance from all others and aligned to 16 bytes.
template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t count, T value = T{}) : storage_(new T[count + 2 * kGap]), count_(count) {
        const std::size_t skew = reinterpret_cast<std::uintptr_t>(storage_.get() + kGap) % 16 / sizeof(T);
        data_ = storage_.get() + kGap - skew;
        std::fill_n(data_, count, value);
        intent_sim_track(data_, count * sizeof(T), "buffer");
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { intent_sim_untrack(data_); }

    T* data() { return data_; }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) { return data_[i]; }

private:
    static constexpr std::size_t kGap = 128;

    std::unique_ptr<T[]> storage_;
    std::size_t count_;
    T* data_;
};

// True when `body` throws intent::DeviceError.
template <class Body>
bool throws_device_error(Body body) {
    try {
        body();
    } catch (const intent::DeviceError&) {
        return true;
    }
    return false;
}

// Runs `body` without checks and with all of them, each in three orders of the threads; no order may be accused.
// Returns what main returns.
template <class Body>
int run_all(Body body) {
    for (const int level : {0, 2}) {
        for (const unsigned seed : {0u, 1u, 2u}) {
            intent_sim_set_checks(level);
            intent_sim_set_seed(seed);
            body();
            for (std::size_t i = 0; i < intent_sim_report_count(); ++i) {
                std::printf("accused: %s\n", intent_sim_report(i));
                ++failures;
            }
            intent_sim_clear();
        }
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace test
