#include "array.hpp"

#include <pybind11/numpy.h>

#include <memory>

#include "failure.hpp"

namespace bridge {
namespace {

static_assert(std::is_same_v<Py_ssize_t, std::int64_t>, "extents of Python's protocols are read in place");

Found find_numpy(PyObject* value, const Parameter& parameter) {
    const auto array = py::reinterpret_borrow<py::array>(value);
    const py::dtype dtype = array.dtype();
    if (dtype.ptr() != parameter.numpy_dtype.ptr() && !dtype.equal(parameter.numpy_dtype))
        refuse_dtype(parameter, std::string(py::str(dtype)));
    Found found;
    found.data = const_cast<void*>(array.data());
    found.rank = static_cast<int>(array.ndim());
    found.extents = array.shape();
    found.strides = array.strides();
    found.writable = array.writeable();
    return found;
}

Found find_buffer(PyObject* value, const Parameter& parameter, Keepers& keepers) {
    auto buffer = std::make_unique<Py_buffer>();
    if (PyObject_GetBuffer(value, buffer.get(), PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) throw py::error_already_set();
    keepers.keep(buffer.get());
    const Py_buffer& view = *buffer.release();
    const ElementType type = from_buffer_format(view.format, view.itemsize);
    if (!(type == *parameter.dtype)) refuse_dtype(parameter, describe(type));
    Found found;
    found.data = view.buf;
    found.rank = view.ndim;
    found.extents = view.shape;
    found.strides = view.strides;
    found.writable = !view.readonly;
    return found;
}

[[noreturn]] void refuse_object(PyObject* value, const Parameter& parameter) {
    throw Failure(FailureKind::kArgument, parameter.subject + " takes an array of rank " +
                                              std::to_string(parameter.rank()) + "; it is a " +
                                              Py_TYPE(value)->tp_name);
}

[[noreturn]] void refuse_host_array(const Parameter& parameter) {
    throw Failure(FailureKind::kDevice, parameter.subject + " is in host memory; the kernel runs on a CUDA device");
}

// The attribute, or an empty object.
py::object attribute(PyObject* value, const char* name) {
    py::object found = py::reinterpret_steal<py::object>(PyObject_GetAttrString(value, name));
    if (!found) PyErr_Clear();
    return found;
}

}  // namespace

void refuse_dtype(const Parameter& parameter, const std::string& actual) {
    throw Failure(FailureKind::kDType, parameter.subject + " holds " + actual + "; it takes " +
                                           std::string(parameter.dtype->name));
}

Found find_array(PyObject* value, const Parameter& parameter, const Place& place, const NumpyTypes& numpy,
                 Keepers& keepers) {
    const bool is_numpy = PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(numpy.ndarray));
    if (place.on_device) {
        if (is_numpy) refuse_host_array(parameter);
        if (attribute(value, "__dlpack__")) return find_dlpack(value, parameter, place, keepers);
        if (const py::object interface = attribute(value, "__cuda_array_interface__"))
            return find_cuda_interface(interface, parameter, place, keepers);
        if (PyObject_CheckBuffer(value)) refuse_host_array(parameter);
        refuse_object(value, parameter);
    }
    if (is_numpy) return find_numpy(value, parameter);
    if (attribute(value, "__dlpack__")) return find_dlpack(value, parameter, place, keepers);
    if (PyObject_CheckBuffer(value)) return find_buffer(value, parameter, keepers);
    if (attribute(value, "__cuda_array_interface__"))
        throw Failure(FailureKind::kDevice, parameter.subject + " is on a CUDA device; the kernel runs on the host");
    refuse_object(value, parameter);
}

}  // namespace bridge
