#include "library.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace bridge {

// The code stays mapped after dlclose: threads of the OpenMP runtime that it brought in outlive the library.
Library::Library(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

Library::~Library() { dlclose(handle_); }

void* Library::address(const std::string& symbol) const {
    void* found = dlsym(handle_, symbol.c_str());
    if (found == nullptr) throw std::runtime_error(path_ + " has no symbol " + symbol);
    return found;
}

}  // namespace bridge
