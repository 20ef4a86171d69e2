// One way to see the array of an argument: NumPy, DLPack, the buffer protocol, the CUDA array interface.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "dtype.hpp"
#include "scalar.hpp"
#include "signature.hpp"

namespace bridge {

// What an object says about its array. The pointers live as long as the object and the Keepers of the call.
struct Found {
    void* data = nullptr;
    int rank = 0;
    const std::int64_t* extents = nullptr;
    const std::int64_t* strides = nullptr;  // null for row-major without gaps
    bool strides_in_bytes = true;
    bool writable = true;
};

// What keeps the arrays of a call in place until it returns.
class Keepers {
public:
    explicit Keepers(std::pmr::memory_resource* pool) : objects_(pool), buffers_(pool), numbers_(pool) {}
    Keepers(const Keepers&) = delete;
    Keepers& operator=(const Keepers&) = delete;
    ~Keepers() {
        for (Py_buffer* buffer : buffers_) {
            PyBuffer_Release(buffer);
            delete buffer;
        }
    }

    void keep(py::object object) { objects_.push_back(std::move(object)); }
    void keep(Py_buffer* buffer) { buffers_.push_back(buffer); }
    const std::int64_t* keep(std::vector<std::int64_t> numbers) {
        return numbers_.emplace_back(std::move(numbers)).data();
    }

private:
    std::pmr::vector<py::object> objects_;
    std::pmr::vector<Py_buffer*> buffers_;
    std::pmr::vector<std::vector<std::int64_t>> numbers_;
};

// What the call wants of an argument's memory, besides the parameter.
struct Place {
    bool on_device = false;
    std::intptr_t stream = 0;  // the CUDA stream of the call; 0 is the legacy default stream
};

// The array of `value`. Throws Failure naming the parameter when it is no array, has another dtype or lives elsewhere.
Found find_array(PyObject* value, const Parameter& parameter, const Place& place, const NumpyTypes& numpy,
                 Keepers& keepers);

// Parts of the above, one for each protocol.
Found find_dlpack(py::handle value, const Parameter& parameter, const Place& place, Keepers& keepers);
Found find_cuda_interface(const py::object& interface, const Parameter& parameter, const Place& place,
                          Keepers& keepers);

// Throws Failure(kDType): what the array holds and what the parameter takes.
[[noreturn]] void refuse_dtype(const Parameter& parameter, const std::string& actual);

}  // namespace bridge
