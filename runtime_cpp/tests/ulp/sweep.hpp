// The largest error of a function over many arguments, in units in the last place of the exact result.
#pragma once

#include <intent/config.hpp>
#include <intent/numeric.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace ulp {

// Name of the one function that the sweep is about; null for all of them.
inline const char* only = nullptr;

inline bool wanted(const char* name) { return only == nullptr || std::strcmp(only, name) == 0; }

// What a wrong special value counts as.
constexpr double kWrong = 1e9;

template <class T>
struct Format;
template <>
struct Format<float> {
    static constexpr int kSignificand = 24;
    static constexpr int kMinExponent = -149;
};
template <>
struct Format<double> {
    static constexpr int kSignificand = 53;
    static constexpr int kMinExponent = -1074;
};

// |got - exact| in units in the last place of exact; Wide holds T with bits to spare.
template <class T, class Wide>
double error(T got, Wide exact) {
    const T nearest = static_cast<T>(exact);
    if (std::isnan(exact)) {
        return std::isnan(got) ? 0.0 : kWrong;
    }
    if (std::isinf(nearest) || std::isinf(got) || std::isnan(got)) {
        return nearest == got ? 0.0 : kWrong;
    }
    int exponent = 0;
    std::frexp(exact, &exponent);
    const int last_place = std::max(exponent - Format<T>::kSignificand, Format<T>::kMinExponent);
    return static_cast<double>(std::fabs(static_cast<Wide>(got) - exact) / std::ldexp(Wide(1), last_place));
}

template <class T>
struct Worst {
    double error = 0.0;
    T argument = T(0);
};

// Arguments argument(i), 0 <= i < count, in vectorised blocks.
template <class T, class Function, class Reference, class Argument>
Worst<T> sweep(intent::index_t count, Function function, Reference reference, Argument argument) {
    constexpr intent::index_t kBlock = 1024;
    Worst<T> worst;
    #pragma omp parallel
    {
        Worst<T> mine;
        T x[kBlock];
        T y[kBlock];
        #pragma omp for schedule(dynamic, 16) nowait
        for (intent::index_t begin = 0; begin < count; begin += kBlock) {
            for (intent::index_t i = 0; i < kBlock; ++i) {
                x[i] = argument(begin + i < count ? begin + i : count - 1);
            }
            #pragma omp simd
            for (intent::index_t i = 0; i < kBlock; ++i) {
                y[i] = function(x[i]);
            }
            for (intent::index_t i = 0; i < kBlock; ++i) {
                const double here = error(y[i], reference(x[i]));
                mine = here > mine.error ? Worst<T>{here, x[i]} : mine;
            }
        }
        #pragma omp critical
        worst = mine.error > worst.error ? mine : worst;
    }
    return worst;
}

// Prints the result and returns 1 when it is beyond `limit`.
template <class T>
int report(const char* name, const Worst<T>& worst, double limit) {
    const bool holds = worst.error <= limit;
    std::printf("%-8s %.4f ULP at %.17g, allowed %.1f%s\n", name, worst.error, static_cast<double>(worst.argument),
                limit, holds ? "" : "  TOO MUCH");
    std::fflush(stdout);
    return holds ? 0 : 1;
}

}  // namespace ulp
