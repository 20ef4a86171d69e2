// One call: the arguments checked against the signature and laid out for the native function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "array.hpp"
#include "overlap.hpp"
#include "signature.hpp"

namespace bridge {

// Mirrors intent_view of intent/status.h.
struct View {
    void* data;
    const std::int64_t* extents;
    const std::int64_t* strides;
};

// What a call takes beside the parameters, as addresses; 0 is none.
struct Extras {
    std::intptr_t stream = 0;
    std::intptr_t workspace = 0;
};

class Call {
public:
    // Checks everything, in parameter order, and throws Failure for the first thing that does not fit.
    Call(const Signature& signature, std::span<PyObject* const> values, const Extras& extras, const NumpyTypes& numpy);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // What the native `_call` function takes: pointers to the view or the scalar of each parameter, then to the stream
    // and to the workspace where the signature has them.
    void* const* arguments() const { return arguments_.data(); }

private:
    struct Array {
        const Parameter* parameter;
        StridedSpan span;
    };

    void bind_array(const Parameter& parameter, PyObject* value, const Place& place, const NumpyTypes& numpy);
    void check_extents(const Parameter& parameter, const Found& found, std::span<std::int64_t> extents);
    void lay_strides(const Parameter& parameter, const Found& found, const Array& array,
                     std::span<std::int64_t> byte_strides, std::span<std::int64_t> strides);
    void check_quantity(const Parameter& parameter, const Quantity& wanted, std::int64_t actual, bool is_extent,
                        std::size_t axis);
    void check_aliases() const;
    std::span<std::int64_t> take(int count);

    const Signature& signature_;
    std::array<std::byte, 3072> room_;  // enough for most calls, so that they allocate nothing
    std::pmr::monotonic_buffer_resource pool_{room_.data(), room_.size()};
    Keepers keepers_{&pool_};
    std::pmr::vector<std::int64_t> symbol_values_{&pool_};
    std::pmr::vector<const Parameter*> symbol_sources_{&pool_};  // null until the symbol has a value
    std::pmr::vector<std::int64_t> numbers_{&pool_};             // extents and strides of all arrays
    std::size_t numbers_used_ = 0;
    std::pmr::vector<Array> arrays_{&pool_};
    std::pmr::vector<std::size_t> array_of_parameter_{&pool_};           // index into arrays_
    std::pmr::vector<View> views_{&pool_};
    std::pmr::vector<std::uint64_t> scalars_{&pool_};
    std::pmr::vector<void*> arguments_ = std::pmr::vector<void*>(&pool_);  // braces would make the pool an element
    Extras extras_;
};

}  // namespace bridge
