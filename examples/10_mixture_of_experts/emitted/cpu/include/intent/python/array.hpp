// Python arrays as views, for the pybind11 module of an emitted project.
#pragma once

#include <intent/check.hpp>
#include <intent/view.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace intent {

// Projects whose kernels take elements of these types include their headers; the others need their names alone.
struct f16;
struct bf16;
struct f8e4m3fn;
struct f8e5m2;

}  // namespace intent

namespace intent::python {

namespace py = pybind11;

// The NumPy name of an element type; 16- and 8-bit floats beyond float16 are those of the package ml_dtypes.
template <class T>
constexpr const char* dtype_name() {
    using Element = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Element, bool>) return "bool";
    else if constexpr (std::is_same_v<Element, float>) return "float32";
    else if constexpr (std::is_same_v<Element, double>) return "float64";
    else if constexpr (std::is_same_v<Element, f16>) return "float16";
    else if constexpr (std::is_same_v<Element, bf16>) return "bfloat16";
    else if constexpr (std::is_same_v<Element, f8e4m3fn>) return "float8_e4m3fn";
    else if constexpr (std::is_same_v<Element, f8e5m2>) return "float8_e5m2";
    else if constexpr (std::is_same_v<Element, std::int8_t>) return "int8";
    else if constexpr (std::is_same_v<Element, std::int16_t>) return "int16";
    else if constexpr (std::is_same_v<Element, std::int32_t>) return "int32";
    else if constexpr (std::is_same_v<Element, std::int64_t>) return "int64";
    else if constexpr (std::is_same_v<Element, std::uint8_t>) return "uint8";
    else if constexpr (std::is_same_v<Element, std::uint16_t>) return "uint16";
    else if constexpr (std::is_same_v<Element, std::uint32_t>) return "uint32";
    else return "uint64";
}

// What is wrong with an argument, beginning with the names of kernel and parameter.
inline std::string sentence(const char* kernel, const char* parameter, const std::string& what) {
    return std::string(kernel) + ": `" + parameter + "` " + what;
}

// Fills extents and strides of a view from byte strides.
template <class T, int Rank, class Extents, class Strides>
void set_shape(View<T, Rank>& view, const Extents& extents, const Strides& byte_strides, const char* kernel, const char* parameter) {
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank; ++axis) {
            const auto bytes = static_cast<index_t>(byte_strides[static_cast<std::size_t>(axis)]);
            if (bytes % static_cast<index_t>(sizeof(T)) != 0) {
                throw py::value_error(sentence(kernel, parameter, "has a stride that is no multiple of its element size"));
            }
            view.extents[axis] = static_cast<index_t>(extents[static_cast<std::size_t>(axis)]);
            view.strides[axis] = bytes / static_cast<index_t>(sizeof(T));
        }
    }
    if constexpr (Rank > 0 && !std::is_const_v<T>) {
        if (const int axis = crowded_axis(view); axis >= 0) {
            const std::string stride = std::to_string(view.strides[axis]);
            const std::string place = " along axis " + std::to_string(axis) + ": elements may share memory";
            throw py::value_error(sentence(kernel, parameter, "is written and has a stride of " + stride + place));
        }
    }
}

// A view of a NumPy array without a copy. Throws TypeError or ValueError (Python) when dtype, byte order, rank, alignment,
// strides or writability do not fit.
template <class T, int Rank>
View<T, Rank> view(const py::object& object, const char* kernel, const char* parameter) {
    if (!py::isinstance<py::array>(object)) {
        throw py::type_error(sentence(kernel, parameter, "must be a NumPy array"));
    }
    const auto array = py::reinterpret_borrow<py::array>(object);
    const auto found = py::cast<std::string>(array.dtype().attr("name"));
    if (found != dtype_name<T>()) {
        throw py::type_error(sentence(kernel, parameter, "has dtype " + found + ", not " + dtype_name<T>()));
    }
    if (!py::cast<bool>(array.dtype().attr("isnative"))) {
        throw py::type_error(sentence(kernel, parameter, "has the byte order of another machine"));
    }
    if (array.ndim() != Rank) {
        throw py::value_error(sentence(kernel, parameter, "has " + std::to_string(array.ndim()) + " axes, not " + std::to_string(Rank)));
    }
    if (!std::is_const_v<T> && !array.writeable()) {
        throw py::value_error(sentence(kernel, parameter, "is written and must not be read-only"));
    }
    if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0) {
        throw py::value_error(sentence(kernel, parameter, "is not aligned to its elements"));
    }
    View<T, Rank> result{};
    result.data = static_cast<T*>(const_cast<void*>(array.data()));
    set_shape(result, array.shape(), array.strides(), kernel, parameter);
    return result;
}

// Errors of the kernel become ValueError (shapes, strides, overlaps) and RuntimeError (the rest).
inline void register_errors(py::module_& module) {
    static_cast<void>(module);
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) {
                std::rethrow_exception(thrown);
            }
        } catch (const Error& error) {
            const bool is_value = error.status() == INTENT_SHAPE_ERROR || error.status() == INTENT_STRIDE_ERROR ||
                                  error.status() == INTENT_ALIAS_ERROR;
            PyErr_SetString(is_value ? PyExc_ValueError : PyExc_RuntimeError, error.what());
        }
    });
}

}  // namespace intent::python
