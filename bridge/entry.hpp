// The Python type `Entry`: a compiled kernel as a callable.
#pragma once

#include <pybind11/pybind11.h>

namespace bridge {

// Adds the type to the module.
void add_entry_type(pybind11::module_& module);

}  // namespace bridge
