#include <pybind11/pybind11.h>

#include "entry.hpp"

PYBIND11_MODULE(_bridge, module) {
    module.doc() = "Calls compiled kernels with arrays of any Python library.";
    bridge::add_entry_type(module);
}
