// Several reductions in one fold: each has an array of partial results of its own.
#pragma once

#include <intent/cpu/fold.hpp>
#include <intent/together.hpp>

namespace intent {

template <class... T>
constexpr int kRegisterLanes<Values<T...>> = ((kRegisterLanes<T> == kRegisterLanes<float>)&&...) ? kRegisterLanes<float>
                                                                                           : kRegisterLanes<double>;
inline namespace INTENT_VECTOR_NAMESPACE {
// Several hide the latency of each other's additions: with as many registers for each as for one they would not fit.
template <class... T>
constexpr int kLanes<Values<T...>> =
    (kVectorBytes < 64 ? 1 : sizeof...(T) > 2 ? 2 : 4) * kRegisterLanes<Values<T...>>;
}  // namespace INTENT_VECTOR_NAMESPACE

namespace detail {

template <class First, class Second, int kCount>
struct FoldLanes<Values<First, Second>, kCount> {
    First first[kCount];
    Second second[kCount];

    Values<First, Second> get(int lane) const noexcept { return {first[lane], second[lane]}; }
    void set(int lane, Values<First, Second> value) noexcept {
        first[lane] = value.first;
        second[lane] = value.second;
    }
};
template <class First, class Second, class Third, int kCount>
struct FoldLanes<Values<First, Second, Third>, kCount> {
    First first[kCount];
    Second second[kCount];
    Third third[kCount];

    Values<First, Second, Third> get(int lane) const noexcept { return {first[lane], second[lane], third[lane]}; }
    void set(int lane, Values<First, Second, Third> value) noexcept {
        first[lane] = value.first;
        second[lane] = value.second;
        third[lane] = value.third;
    }
};
template <class First, class Second, class Third, class Fourth, int kCount>
struct FoldLanes<Values<First, Second, Third, Fourth>, kCount> {
    First first[kCount];
    Second second[kCount];
    Third third[kCount];
    Fourth fourth[kCount];

    Values<First, Second, Third, Fourth> get(int lane) const noexcept {
        return {first[lane], second[lane], third[lane], fourth[lane]};
    }
    void set(int lane, Values<First, Second, Third, Fourth> value) noexcept {
        first[lane] = value.first;
        second[lane] = value.second;
        third[lane] = value.third;
        fourth[lane] = value.fourth;
    }
};

}  // namespace detail

}  // namespace intent
