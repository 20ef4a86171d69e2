// What a checked kernel finds while it runs: the first rule that was broken, with the numbers that tell of it.
#pragma once

#include <intent/check.hpp>
#include <intent/config.hpp>

#include <atomic>
#include <cstdint>

namespace intent {

// The most numbers that a message tells.
constexpr int kFaultNumbers = 8;

// One for each call of a kernel; its threads share it. Only the first fault is kept.
class Faults {
public:
    // Remembers that `rule` was broken, unless something was broken before.
    template <class... Number>
    [[gnu::cold, gnu::noinline]] void record(int rule, Number... numbers) noexcept {
        static_assert(sizeof...(Number) <= kFaultNumbers, "a message tells a few numbers");
        int none = kNone;
        if (rule_.compare_exchange_strong(none, rule, std::memory_order_relaxed)) {
            const std::int64_t given[sizeof...(Number) + 1] = {static_cast<std::int64_t>(numbers)..., 0};
            for (std::size_t i = 0; i < sizeof...(Number); ++i) {
                numbers_[i] = given[i];
            }
        }
    }

    bool is(int rule) const noexcept { return rule_.load(std::memory_order_relaxed) == rule; }
    std::int64_t number(int index) const noexcept { return numbers_[index]; }

private:
    static constexpr int kNone = -1;
    std::atomic<int> rule_{kNone};
    std::int64_t numbers_[kFaultNumbers] = {};
};

// `kept`, once it is recorded where the rule is not: what depends on it is then left out and the kernel goes on, because
// no exception may leave a parallel loop.
template <class... Number>
inline bool holds(Faults* faults, int rule, bool kept, Number... numbers) noexcept {
    if (!kept) {
        faults->record(rule, numbers...);
    }
    return kept;
}

// Throws `Failure` if it was this rule that was broken first; `{}` in the text stand for its numbers, in order.
template <class Failure>
void require_kept(const Faults& faults, int rule, const char* text) {
    if (!faults.is(rule)) {
        return;
    }
    Message message;
    int number = 0;
    for (const char* next = text; *next != '\0';) {
        if (next[0] == '{' && next[1] == '}') {
            message << faults.number(number++);
            next += 2;
        } else {
            const char letter[] = {*next++, '\0'};
            message << letter;
        }
    }
    detail::fail<Failure>(message.text());
}

}  // namespace intent
