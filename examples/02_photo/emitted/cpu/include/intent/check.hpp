// What a kernel demands of its arguments, and how a failure reaches C++ and C callers.
#pragma once

#include <intent/status.h>
#include <intent/overlap.hpp>
#include <intent/view.hpp>

#include <cstring>
#include <exception>

namespace intent {

// Longest message, with its end; longer ones are cut.
constexpr std::size_t kMessageBytes = 512;

// The base of everything that a kernel throws. It holds its message itself, so throwing never allocates a string and
// this header needs none.
class Error : public std::exception {
public:
    Error(intent_status status, const char* message) noexcept : status_(status) {
        std::strncpy(message_, message, kMessageBytes - 1);
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

namespace detail {

// Out of the way of the code that calls it.
template <class Failure>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const char* message) {
    throw Failure(message);
}

}  // namespace detail

// Throws ShapeError with `message` unless `holds`.
inline void require_shape(bool holds, const char* message) {
    if (!holds) {
        detail::fail<ShapeError>(message);
    }
}

// Throws StrideError with `message` unless `holds`.
inline void require_stride(bool holds, const char* message) {
    if (!holds) {
        detail::fail<StrideError>(message);
    }
}

// Throws CapacityError with `message` unless `holds`.
inline void require_capacity(bool holds, const char* message) {
    if (!holds) {
        detail::fail<CapacityError>(message);
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

inline void keep_error(const char* message) noexcept { std::strncpy(last_error_buffer(), message, kMessageBytes - 1); }

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
