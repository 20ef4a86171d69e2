// Several reductions over the same members at once: a member has a value for each, and each has its own operation.
#pragma once

#include <intent/combine.hpp>

namespace intent {

// What one member gives to two to four reductions, or what they have come to.
template <class... T>
struct Values;
template <class First, class Second>
struct Values<First, Second> {
    First first;
    Second second;
};
template <class First, class Second, class Third>
struct Values<First, Second, Third> {
    First first;
    Second second;
    Third third;
};
template <class First, class Second, class Third, class Fourth>
struct Values<First, Second, Third, Fourth> {
    First first;
    Second second;
    Third third;
    Fourth fourth;
};
template <class... T>
Values(T...) -> Values<T...>;

// Combines each of the values by its own operation.
template <class... Combine>
struct Each;
template <class First, class Second>
struct Each<First, Second> {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return {First::template identity<decltype(T::first)>(), Second::template identity<decltype(T::second)>()};
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return {First{}(a.first, b.first), Second{}(a.second, b.second)};
    }
};
template <class First, class Second, class Third>
struct Each<First, Second, Third> {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return {First::template identity<decltype(T::first)>(), Second::template identity<decltype(T::second)>(),
                Third::template identity<decltype(T::third)>()};
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return {First{}(a.first, b.first), Second{}(a.second, b.second), Third{}(a.third, b.third)};
    }
};
template <class First, class Second, class Third, class Fourth>
struct Each<First, Second, Third, Fourth> {
    template <class T>
    static INTENT_HOST_DEVICE constexpr T identity() noexcept {
        return {First::template identity<decltype(T::first)>(), Second::template identity<decltype(T::second)>(),
                Third::template identity<decltype(T::third)>(), Fourth::template identity<decltype(T::fourth)>()};
    }
    template <class T>
    INTENT_HOST_DEVICE constexpr T operator()(T a, T b) const noexcept {
        return {First{}(a.first, b.first), Second{}(a.second, b.second), Third{}(a.third, b.third),
                Fourth{}(a.fourth, b.fourth)};
    }
};

}  // namespace intent
