// What a sequence is worth that may have no members yet: an operation of the author's need not have an identity.
#pragma once

#include <intent/config.hpp>

namespace intent {

namespace detail {

template <class T>
struct Carry {
    T value;
    bool present;
};

// The carry with one more member at its end.
template <class T, class Combine>
INTENT_HOST_DEVICE void advance_carry(Carry<T>& carry, const T& member, Combine combine) {
    carry = {carry.present ? combine(carry.value, member) : member, true};
}

}  // namespace detail

}  // namespace intent
