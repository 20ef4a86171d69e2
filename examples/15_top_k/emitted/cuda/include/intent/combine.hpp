// The operations that reductions fold with: associative, with an identity for every type.
#pragma once

#include <intent/integer.hpp>
#include <intent/numeric.hpp>

#include <type_traits>

namespace intent {

// Sum. Integers wrap; floats round at each step in the order the reduction chooses.
struct Add {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return static_cast<T>(0);
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            return wrap_add(a, b);
        } else {
            return static_cast<T>(a + b);
        }
    }
};

// Largest value; NaN wins.
struct Maximum {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return lowest<T>();
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return maximum(b, a);  // in this order the test for NaN is of the new member: it waits for nothing
    }
};

// Smallest value; NaN wins.
struct Minimum {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return highest<T>();
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return minimum(b, a);  // in this order the test for NaN is of the new member: it waits for nothing
    }
};

// Logical and, without short circuit.
struct All {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return static_cast<T>(true);
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return static_cast<T>(a & b);
    }
};

// Logical or, without short circuit.
struct Any {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return static_cast<T>(false);
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return static_cast<T>(a | b);
    }
};

}  // namespace intent
