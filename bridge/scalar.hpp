// A Python number as the bits of a runtime scalar.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "dtype.hpp"

namespace bridge {

// The Python objects that tell NumPy's scalars from arrays and from Python's own numbers.
struct NumpyTypes {
    PyObject* ndarray;
    PyObject* boolean;  // numpy.bool_
};

// The value as `type`, in the low bytes of the result (memory order of the native type).
// `subject` begins the message: "kernel: parameter `eps`".
// Throws Failure(kDType) for a number of another kind or out of the range of the type.
std::uint64_t scalar_bits(PyObject* value, const DType& type, const NumpyTypes& numpy, const std::string& subject);

}  // namespace bridge
