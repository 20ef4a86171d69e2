// Device arrays as views: anything with `__cuda_array_interface__`, without a copy.
#pragma once

#include <intent/python/array.hpp>

#include <pybind11/stl.h>

#include <vector>

namespace intent::python {

// Throws TypeError or ValueError (Python) when the object is no device array or dtype, rank or writability do not fit.
template <class T, int Rank>
View<T, Rank> device_view(const py::object& object, const char* kernel, const char* parameter) {
    if (!py::hasattr(object, "__cuda_array_interface__")) {
        throw py::type_error(sentence(kernel, parameter, "must be a device array (with __cuda_array_interface__)"));
    }
    const py::dict description = object.attr("__cuda_array_interface__");
    const py::dtype dtype = py::dtype::from_args(description["typestr"]);
    const auto found = py::cast<std::string>(dtype.attr("name"));
    const bool narrow = sizeof(T) < 4 && dtype.itemsize() == static_cast<py::ssize_t>(sizeof(T)) && dtype.kind() == 'V';
    if (found != dtype_name<T>() && !narrow) {
        throw py::type_error(sentence(kernel, parameter, "has dtype " + found + ", not " + dtype_name<T>()));
    }
    const auto extents = py::cast<std::vector<index_t>>(description["shape"]);
    if (extents.size() != static_cast<std::size_t>(Rank)) {
        throw py::value_error(sentence(kernel, parameter, "has " + std::to_string(extents.size()) + " axes, not " + std::to_string(Rank)));
    }
    const py::tuple data = description["data"];
    if (!std::is_const_v<T> && py::cast<bool>(data[1])) {
        throw py::value_error(sentence(kernel, parameter, "is written and must not be read-only"));
    }
    std::vector<index_t> strides(extents.size(), static_cast<index_t>(sizeof(T)));
    if (description.contains("strides") && !description["strides"].is_none()) {
        strides = py::cast<std::vector<index_t>>(description["strides"]);
    } else {
        for (std::size_t axis = extents.size(); axis-- > 1;) {
            strides[axis - 1] = strides[axis] * extents[axis];
        }
    }
    View<T, Rank> result{};
    result.data = reinterpret_cast<T*>(py::cast<std::uintptr_t>(data[0]));
    set_shape(result, extents, strides, kernel, parameter);
    return result;
}

}  // namespace intent::python
