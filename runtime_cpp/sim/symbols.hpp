// The names of the module's thread_local variables: static shared arrays are such.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace intent::sim {

struct ThreadVariable {
    std::size_t offset;  // from the start of thread_locals()
    std::size_t bytes;
    std::string name;  // in the source text; empty for what the compiler added
};

// The variables of functions and the compiler's guards of them, from the module's symbol table; empty when stripped.
const std::vector<ThreadVariable>& thread_variables();

}  // namespace intent::sim
