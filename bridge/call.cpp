#include "call.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "failure.hpp"

namespace bridge {
namespace {

static_assert(std::endian::native == std::endian::little, "a scalar's bytes begin its 8-byte slot");

std::string quoted(const std::string& name) { return "`" + name + "`"; }

std::string listed(const Signature& signature) {
    std::string names;
    for (const Parameter& parameter : signature.parameters) names += (names.empty() ? "" : ", ") + parameter.name;
    return names;
}

void check_count(const Signature& signature, std::size_t given) {
    const std::size_t wanted = signature.parameters.size();
    if (given == wanted) return;
    const std::string takes = std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments");
    std::string message = signature.kernel + " takes " + takes + " (" + listed(signature) + "); " +
                          std::to_string(given) + " given";
    if (given < wanted) message += ", " + quoted(signature.parameters[given].name) + " is missing";
    throw Failure(FailureKind::kArgument, message);
}

bool is_empty(std::span<const std::int64_t> extents) {
    return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

// The array of an argument; what its own library says against it becomes a refusal that names the parameter.
Found found_array(PyObject* value, const Parameter& parameter, const Place& place, const NumpyTypes& numpy,
                  Keepers& keepers) {
    const auto refuse = [&](const std::string& why) {
        return Failure(FailureKind::kArgument, parameter.subject + " cannot be read as an array: " + why);
    };
    try {
        return find_array(value, parameter, place, numpy, keepers);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw refuse(py::str(error.value()));
    } catch (const py::cast_error& error) {
        throw refuse(error.what());
    }
}

}  // namespace

Call::Call(const Signature& signature, std::span<PyObject* const> values, const Extras& extras, const NumpyTypes& numpy)
    : signature_(signature), extras_(extras) {
    check_count(signature, values.size());
    const std::size_t count = values.size();
    symbol_values_.resize(signature.symbols.size());
    symbol_sources_.resize(signature.symbols.size());
    numbers_.resize(3 * static_cast<std::size_t>(signature.axis_count));
    arrays_.reserve(static_cast<std::size_t>(signature.array_count));
    views_.reserve(static_cast<std::size_t>(signature.array_count));
    array_of_parameter_.resize(count);
    scalars_.reserve(count);
    arguments_.reserve(count + 2);

    const Place place{signature.on_device, extras.stream};
    for (std::size_t i = 0; i < count; ++i) {
        const Parameter& parameter = signature.parameters[i];
        if (parameter.is_array()) {
            array_of_parameter_[i] = arrays_.size();
            bind_array(parameter, values[i], place, numpy);
            arguments_.push_back(&views_.back());
        } else {
            scalars_.push_back(scalar_bits(values[i], *parameter.dtype, numpy, parameter.subject));
            arguments_.push_back(&scalars_.back());
        }
    }
    if (signature.has_stream) arguments_.push_back(&extras_.stream);
    if (signature.has_workspace) arguments_.push_back(&extras_.workspace);
    check_aliases();
}

std::span<std::int64_t> Call::take(int count) {
    const std::span<std::int64_t> part(numbers_.data() + numbers_used_, static_cast<std::size_t>(count));
    numbers_used_ += part.size();
    return part;
}

void Call::bind_array(const Parameter& parameter, PyObject* value, const Place& place, const NumpyTypes& numpy) {
    const Found found = found_array(value, parameter, place, numpy, keepers_);
    if (found.rank != parameter.rank())
        throw Failure(FailureKind::kShape, parameter.subject + " has rank " + std::to_string(found.rank) +
                                               "; it takes rank " + std::to_string(parameter.rank()));
    const auto extents = take(found.rank), byte_strides = take(found.rank), strides = take(found.rank);
    check_extents(parameter, found, extents);
    const Array array{&parameter,
                      {reinterpret_cast<std::uintptr_t>(found.data), extents, byte_strides, parameter.dtype->size}};
    lay_strides(parameter, found, array, byte_strides, strides);
    if (parameter.is_written() && !found.writable)
        throw Failure(FailureKind::kArgument, parameter.subject + " is written by the kernel; the array is read-only");
    arrays_.push_back(array);
    views_.push_back({found.data, extents.data(), strides.data()});
}

void Call::check_extents(const Parameter& parameter, const Found& found, std::span<std::int64_t> extents) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        extents[axis] = found.extents[axis];
        check_quantity(parameter, parameter.extents[axis], extents[axis], true, axis);
    }
}

void Call::lay_strides(const Parameter& parameter, const Found& found, const Array& array,
                       std::span<std::int64_t> byte_strides, std::span<std::int64_t> strides) {
    const std::int64_t item_size = array.span.item_size;
    const auto extents = array.span.extents;
    const bool empty = is_empty(extents);
    std::int64_t compact = 1;
    for (std::size_t axis = strides.size(); axis-- > 0;) {
        const bool counts = !empty && extents[axis] > 1;  // along other axes nothing is ever stepped over
        std::int64_t stride = found.strides == nullptr ? compact : found.strides[axis];
        if (found.strides != nullptr && found.strides_in_bytes) {
            if (counts && stride % item_size != 0)
                throw Failure(FailureKind::kStride, parameter.subject + " has a stride of " + std::to_string(stride) +
                                                        " bytes on axis " + std::to_string(axis) +
                                                        ", no multiple of its " + std::to_string(item_size) +
                                                        "-byte elements");
            stride /= item_size;
        }
        strides[axis] = stride;
        byte_strides[axis] = stride * item_size;
        compact *= extents[axis];
    }
    if (const int axis = empty || !parameter.is_written() ? -1 : crowded_axis(extents, strides); axis >= 0)
        throw Failure(FailureKind::kStride, parameter.subject + " is written by the kernel; its stride on axis " +
                                                std::to_string(axis) + " is " + std::to_string(strides[axis]) +
                                                ": elements may share memory");
    for (std::size_t axis = 0; axis < parameter.strides.size(); ++axis) {
        if (!empty && extents[axis] > 1)
            check_quantity(parameter, parameter.strides[axis], strides[axis], false, axis);
        else if (parameter.strides[axis].fixed)
            strides[axis] = *parameter.strides[axis].fixed;
    }
    if (!empty && array.span.data % static_cast<std::uintptr_t>(item_size) != 0)
        throw Failure(FailureKind::kStride, parameter.subject + " does not begin at a multiple of its " +
                                                std::to_string(item_size) + "-byte elements");
}

void Call::check_quantity(const Parameter& parameter, const Quantity& wanted, std::int64_t actual, bool is_extent,
                          std::size_t axis) {
    if (wanted.is_free()) return;
    const auto refuse = [&](const std::string& requirement) {
        throw Failure(is_extent ? FailureKind::kShape : FailureKind::kStride,
                      parameter.subject + " has " + (is_extent ? "extent " : "stride ") + std::to_string(actual) +
                          " on axis " + std::to_string(axis) + "; " + requirement);
    };
    if (wanted.fixed) {
        if (actual != *wanted.fixed) refuse("it takes " + std::to_string(*wanted.fixed));
        return;
    }
    const auto symbol = static_cast<std::size_t>(wanted.symbol);
    if (symbol_sources_[symbol] == nullptr) {
        symbol_sources_[symbol] = &parameter;
        symbol_values_[symbol] = actual;
    } else if (symbol_values_[symbol] != actual) {
        refuse(quoted(signature_.symbols[symbol]) + " is " + std::to_string(symbol_values_[symbol]) + " (from " +
               quoted(symbol_sources_[symbol]->name) + ")");
    }
}

void Call::check_aliases() const {
    const auto refuse = [](const Array& array, const Array& other, const std::string& why) {
        throw Failure(FailureKind::kAlias,
                      array.parameter->subject + " " + why + " parameter " + quoted(other.parameter->name));
    };
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const Parameter& first = *arrays_[i].parameter;
        for (std::size_t j = 0; j < i; ++j) {
            const Parameter& second = *arrays_[j].parameter;
            if ((first.noalias || second.noalias) && ranges_meet(arrays_[i].span, arrays_[j].span))
                refuse(arrays_[i], arrays_[j], "may not overlap the memory of");
        }
    }
    for (const AliasRule& rule : signature_.alias_rules) {
        const Array& written = arrays_[array_of_parameter_[rule.written]];
        const Array& other = arrays_[array_of_parameter_[rule.other]];
        if (rule.same_allowed && same_elements(written.span, other.span)) continue;
        if (share_memory(written.span, other.span))
            refuse(written, other, rule.same_allowed ? "partly overlaps the memory of" : "overlaps the memory of");
    }
}

}  // namespace bridge
