// What a kernel takes: the parameters, and what the arrays of one call must satisfy together.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dtype.hpp"

namespace bridge {

namespace py = pybind11;

enum class ParameterKind { kIn, kOut, kInOut, kScalar };

// An extent or a stride: a fixed number, a symbol that stands for one number in the whole call, or anything.
struct Quantity {
    std::optional<std::int64_t> fixed;
    int symbol = -1;  // index into Signature::symbols
    bool is_free() const { return !fixed && symbol < 0; }
};

struct Parameter {
    std::string name;
    ParameterKind kind;
    const DType* dtype;
    py::object numpy_dtype;          // the numpy.dtype of an array parameter
    std::vector<Quantity> extents;   // one for each axis
    std::vector<Quantity> strides;   // in elements; empty when nothing is asked of them
    bool noalias = false;            // overlaps no other array of the call
    std::string subject;             // how messages begin: "kernel: parameter `x`"

    bool is_array() const { return kind != ParameterKind::kScalar; }
    bool is_written() const { return kind == ParameterKind::kOut || kind == ParameterKind::kInOut; }
    int rank() const { return static_cast<int>(extents.size()); }
};

// Of two arrays of which the kernel writes the first: they share no element or, where `same_allowed`, all of them.
struct AliasRule {
    std::size_t written;
    std::size_t other;
    bool same_allowed;
};

struct Signature {
    std::string kernel;
    bool on_device = false;  // arrays live on a CUDA device
    bool has_stream = false; // a stream follows the parameters of the native call
    bool has_workspace = false;  // then the address of memory that the kernel uses while it runs
    std::vector<Parameter> parameters;
    std::vector<AliasRule> alias_rules;
    std::vector<std::string> symbols;
    int array_count = 0;
    int axis_count = 0;      // of all arrays together

    // From the dictionary described in _bridge.pyi. Throws std::invalid_argument when it makes no sense.
    explicit Signature(const py::dict& description);
};

}  // namespace bridge
