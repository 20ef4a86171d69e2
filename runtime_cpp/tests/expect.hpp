// The whole test framework: EXPECT counts and prints what does not hold, and main returns failures().
#pragma once

#include <cstdio>
#include <initializer_list>

namespace expect {

inline int& failure_count() {
    static int count = 0;
    return count;
}

inline void check(bool holds, const char* condition, const char* file, int line) {
    if (!holds) {
        ++failure_count();
        std::printf("%s:%d: does not hold: %s\n", file, line, condition);
    }
}

// The exit code of a test program.
inline int failures() {
    if (failure_count() > 0) {
        std::printf("%d failed\n", failure_count());
    }
    return failure_count() > 0 ? 1 : 0;
}

// The status of the exception that `body` throws, or -1 when it throws none. Exception: a type with status().
template <class Exception, class Body>
int thrown_status(Body body) {
    try {
        body();
    } catch (const Exception& error) {
        return static_cast<int>(error.status());
    }
    return -1;
}

}  // namespace expect

#define EXPECT(...) expect::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
