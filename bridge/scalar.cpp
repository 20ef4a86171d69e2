#include "scalar.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "failure.hpp"

namespace bridge {
namespace {

namespace py = pybind11;

// A binary floating-point format of at most 16 bits.
struct SmallFloat {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity;
};

constexpr SmallFloat kF16{5, 10, true};
constexpr SmallFloat kBF16{8, 7, true};
constexpr SmallFloat kE4M3{4, 3, false};
constexpr SmallFloat kE5M2{5, 2, true};

[[noreturn]] void refuse(const std::string& subject, const std::string& why) {
    throw Failure(FailureKind::kDType, subject + " " + why);
}

std::string type_of(PyObject* value) { return Py_TYPE(value)->tp_name; }

template <class T>
std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

// The bits of `value` rounded once to the nearest, ties to even; too large a magnitude becomes infinity.
// Without infinities, a value that rounds past the largest finite one is refused.
std::uint64_t encode(double value, SmallFloat format, const DType& type, const std::string& subject) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.exponent_bits + format.fraction_bits);
    const std::uint64_t all_exponent = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
    const std::uint64_t all_fraction = (std::uint64_t{1} << format.fraction_bits) - 1;
    const std::uint64_t quiet_bit = std::uint64_t{1} << (format.fraction_bits - 1);
    if (std::isnan(value)) return sign | all_exponent | (format.has_infinity ? quiet_bit : all_fraction);

    const double magnitude = std::fabs(value);
    const bool is_regular = magnitude > 0 && std::isfinite(magnitude);
    const int exponent = is_regular ? std::max(std::ilogb(magnitude), 1 - bias) : 1 - bias;
    const std::uint64_t largest = format.has_infinity ? all_exponent - 1 : (all_exponent | all_fraction) - 1;
    std::uint64_t code = largest + 1;
    if (std::isfinite(magnitude) && exponent <= bias + 1) {
        // Codes of finite values count up evenly, also where rounding reaches the next power of two.
        const double steps_exactly = std::ldexp(magnitude, format.fraction_bits - exponent);
        const auto steps = static_cast<std::uint64_t>(std::nearbyint(steps_exactly));
        code = (static_cast<std::uint64_t>(exponent + bias - 1) << format.fraction_bits) + steps;
    }
    if (code <= largest) return sign | code;
    if (!format.has_infinity) refuse(subject, "has no value for this number in " + std::string(type.name));
    return sign | all_exponent;
}

std::uint64_t float_bits(double value, const DType& type, const std::string& subject) {
    switch (type.family) {
        case Family::kFloat8E4M3: return encode(value, kE4M3, type, subject);
        case Family::kFloat8E5M2: return encode(value, kE5M2, type, subject);
        case Family::kBFloat: return encode(value, kBF16, type, subject);
        default: break;
    }
    if (type.size == 2) return encode(value, kF16, type, subject);
    return type.size == 4 ? bits_of(static_cast<float>(value)) : bits_of(value);
}

std::uint64_t from_float(PyObject* value, const DType& type, const std::string& subject) {
    if (PyFloat_CheckExact(value)) return float_bits(PyFloat_AS_DOUBLE(value), type, subject);
    const PyNumberMethods* number = Py_TYPE(value)->tp_as_number;
    if (number == nullptr || (number->nb_float == nullptr && number->nb_index == nullptr))
        refuse(subject, "takes a number for " + std::string(type.name) + "; it is a " + type_of(value));
    const double converted = PyFloat_AsDouble(value);
    if (converted == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse(subject, "has no value for this number in " + std::string(type.name));
    }
    return float_bits(converted, type, subject);
}

std::uint64_t from_integer(PyObject* value, const DType& type, const std::string& subject) {
    if (!PyIndex_Check(value))
        refuse(subject, "takes an integer for " + std::string(type.name) + "; it is a " + type_of(value));
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!integer) throw py::error_already_set();
    const auto out_of_range = [&] {
        refuse(subject, "is " + std::string(py::str(integer)) + ", outside the range of " + std::string(type.name));
    };
    const int width = 8 * type.size;
    if (type.family == Family::kUnsigned) {
        const std::uint64_t bits = PyLong_AsUnsignedLongLong(integer.ptr());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            out_of_range();
        }
        if (width < 64 && bits >> width != 0) out_of_range();
        return bits;
    }
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    const std::int64_t limit = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - width));
    if (overflow != 0 || number > limit || number < -limit - 1) out_of_range();
    return static_cast<std::uint64_t>(number);
}

}  // namespace

std::uint64_t scalar_bits(PyObject* value, const DType& type, const NumpyTypes& numpy, const std::string& subject) {
    const bool is_bool = PyBool_Check(value) || reinterpret_cast<PyObject*>(Py_TYPE(value)) == numpy.boolean;
    if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(numpy.ndarray)))
        refuse(subject, "takes a scalar of type " + std::string(type.name) + "; it is an array");
    if (is_bool != (type.family == Family::kBool))
        refuse(subject, "takes a scalar of type " + std::string(type.name) + "; it is a " + type_of(value));
    if (is_bool) return static_cast<std::uint64_t>(PyObject_IsTrue(value));
    if (type.family == Family::kSigned || type.family == Family::kUnsigned) return from_integer(value, type, subject);
    return from_float(value, type, subject);
}

}  // namespace bridge
