// What a kernel demands of its arguments, and how a failure reaches C++ and C callers.
#pragma once

#include <intent/status.h>
#include <intent/overlap.hpp>
#include <intent/view.hpp>

#include <cstdio>
#include <cstring>
#include <exception>

namespace intent {

// Longest message, with its end; longer ones are cut.
constexpr std::size_t kMessageBytes = 512;

namespace detail {

// Copies a message into a buffer of kMessageBytes; a longer one is cut.
inline void copy_message(char* to, const char* message) noexcept {
    const std::size_t length = std::strlen(message);
    const std::size_t kept = length < kMessageBytes ? length : kMessageBytes - 1;
    std::memcpy(to, message, kept);
    to[kept] = '\0';
}

}  // namespace detail

// The base of everything that a kernel throws. It holds its message itself, so throwing never allocates a string and
// this header needs none.
class Error : public std::exception {
public:
    Error(intent_status status, const char* message) noexcept : status_(status) {
        detail::copy_message(message_, message);
    }
    const char* what() const noexcept override { return message_; }
    intent_status status() const noexcept { return status_; }

private:
    intent_status status_;
    char message_[kMessageBytes] = {};
};

class ShapeError : public Error {
public:
    explicit ShapeError(const char* message) noexcept : Error(INTENT_SHAPE_ERROR, message) {}
};

class StrideError : public Error {
public:
    explicit StrideError(const char* message) noexcept : Error(INTENT_STRIDE_ERROR, message) {}
};

class AliasError : public Error {
public:
    explicit AliasError(const char* message) noexcept : Error(INTENT_ALIAS_ERROR, message) {}
};

class CapacityError : public Error {
public:
    explicit CapacityError(const char* message) noexcept : Error(INTENT_CAPACITY_ERROR, message) {}
};

class DeviceError : public Error {
public:
    explicit DeviceError(const char* message) noexcept : Error(INTENT_DEVICE_ERROR, message) {}
};

// What checked builds find while a kernel runs.
class BoundsError : public Error {
public:
    explicit BoundsError(const char* message) noexcept : Error(INTENT_BOUNDS_ERROR, message) {}
};

class RegionError : public Error {
public:
    explicit RegionError(const char* message) noexcept : Error(INTENT_REGION_ERROR, message) {}
};

class PromiseError : public Error {
public:
    explicit PromiseError(const char* message) noexcept : Error(INTENT_PROMISE_ERROR, message) {}
};

class DuplicateError : public Error {
public:
    explicit DuplicateError(const char* message) noexcept : Error(INTENT_DUPLICATE_ERROR, message) {}
};

class RaceError : public Error {
public:
    explicit RaceError(const char* message) noexcept : Error(INTENT_RACE_ERROR, message) {}
};

class UninitialisedError : public Error {
public:
    explicit UninitialisedError(const char* message) noexcept : Error(INTENT_UNINITIALISED_ERROR, message) {}
};

// A message put together in a buffer of its own, so that nothing is allocated; what does not fit is cut.
class Message {
public:
    Message& operator<<(const char* text) noexcept {
        std::strncat(text_, text, kMessageBytes - 1 - std::strlen(text_));
        return *this;
    }
    Message& operator<<(index_t number) noexcept {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(number));
        return *this << digits;
    }
    const char* text() const noexcept { return text_; }

private:
    char text_[kMessageBytes] = {};
};

namespace detail {

// Each of these is out of the way of the code that calls it.
template <class Failure>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const char* message) {
    throw Failure(message);
}

template <class Failure>
[[noreturn, gnu::cold, gnu::noinline]] void fail_other(const char* message, index_t found, index_t wanted) {
    throw Failure((Message() << message << ": it is " << found << ", not " << wanted).text());
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_pair(const char* message, index_t a, index_t b) {
    throw ShapeError((Message() << message << ": " << a << " and " << b).text());
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_room(const char* message, index_t needed) {
    throw CapacityError((Message() << message << ": it takes " << needed << " B").text());
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_extents(const char* message, const index_t* found,
                                                                const index_t* wanted, int rank) {
    Message whole;
    whole << message;
    for (int axis = 0; axis < rank; ++axis) {
        whole << (axis == 0 ? ": it is [" : ", ") << found[axis];
    }
    for (int axis = 0; axis < rank; ++axis) {
        whole << (axis == 0 ? "], not [" : ", ") << wanted[axis];
    }
    throw ShapeError((whole << "]").text());
}

}  // namespace detail

// Throws ShapeError unless the view has these extents; `message` says what they are called.
template <class T, int Rank, class... Extent>
void require_extents(const View<T, Rank>& view, const char* message, Extent... extents) {
    static_assert(sizeof...(Extent) == Rank, "a view has one extent for each axis");
    const index_t wanted[] = {static_cast<index_t>(extents)...};
    bool same = true;
    for (int axis = 0; axis < Rank; ++axis) {
        same = same && view.extent(axis) == wanted[axis];
    }
    if (!same) {
        detail::fail_extents(message, view.extents, wanted, Rank);
    }
}

// Throws ShapeError unless two extents are equal; `message` says whose they are, the numbers follow.
inline void require_equal(index_t a, index_t b, const char* message) {
    if (a != b) {
        detail::fail_pair(message, a, b);
    }
}

// Throws ShapeError unless an extent is 1 or equal to the other one; the same of `message`.
inline void require_one_or_equal(index_t extent, index_t to, const char* message) {
    if (extent != 1 && extent != to) {
        detail::fail_pair(message, extent, to);
    }
}

// Throws StrideError unless a stride is the one that `message` asks for.
inline void require_stride(index_t found, index_t wanted, const char* message) {
    if (found != wanted) {
        detail::fail_other<StrideError>(message, found, wanted);
    }
}

// Throws CapacityError when more bytes are needed than there are; `message` says for what.
inline void require_capacity(index_t needed, index_t most, const char* message) {
    if (needed > most) {
        detail::fail_room(message, needed);
    }
}

// Throws AliasError with `message` when the views share memory.
template <class A, int RankA, class B, int RankB>
void require_disjoint(const View<A, RankA>& a, const View<B, RankB>& b, const char* message) {
    if (overlaps(a, b)) {
        detail::fail<AliasError>(message);
    }
}

// Throws AliasError with `message` when the views share memory and are not the same elements in the same order.
template <class A, int RankA, class B, int RankB>
void require_disjoint_or_same(const View<A, RankA>& a, const View<B, RankB>& b, const char* message) {
    if (!same_elements(a, b) && overlaps(a, b)) {
        detail::fail<AliasError>(message);
    }
}

namespace detail {

inline char* last_error_buffer() noexcept {
    thread_local char message[kMessageBytes] = {};
    return message;
}

inline void keep_error(const char* message) noexcept { copy_message(last_error_buffer(), message); }

}  // namespace detail

// The message of this thread's last failure inside `guarded`; empty before the first. Valid until the next failure.
inline const char* last_error() noexcept { return detail::last_error_buffer(); }

// Runs `body`; an exception becomes its status and its message is kept for `last_error()`. Nothing escapes.
template <class Body>
intent_status guarded(Body&& body) noexcept {
    try {
        body();
        return INTENT_OK;
    } catch (const Error& error) {
        detail::keep_error(error.what());
        return error.status();
    } catch (const std::exception& error) {
        detail::keep_error(error.what());
    } catch (...) {
        detail::keep_error("unknown exception");
    }
    return INTENT_INTERNAL_ERROR;
}

}  // namespace intent
