#include "module.hpp"

#include "machine.hpp"

#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace intent::sim {

namespace {

struct Module {
    std::uintptr_t base = 0;
    std::string path;
    std::vector<Range> segments;
};

int find_module(dl_phdr_info* info, std::size_t, void* result) {
    auto& module = *static_cast<Module*>(result);
    const auto self = reinterpret_cast<std::uintptr_t>(&find_module);
    std::vector<Range> segments;
    bool found = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            segments.push_back({info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz});
            found = found || segments.back().contains(self);
        }
    }
    if (!found) {
        return 0;
    }
    module.base = info->dlpi_addr;
    module.path = info->dlpi_name;
    if (char* absolute = realpath(info->dlpi_name, nullptr)) {  // the working directory may change later
        module.path = absolute;
        std::free(absolute);
    }
    module.segments = segments;
    return 1;
}

const Module& this_module() {
    static const Module module = [] {
        Module found;
        dl_iterate_phdr(find_module, &found);
        if (found.path.empty()) {  // the program itself has no name here
            char path[4096];
            const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
            found.path.assign(path, length > 0 ? static_cast<std::size_t>(length) : 0);
        }
        return found;
    }();
    return module;
}

int find_thread_locals(dl_phdr_info* info, std::size_t, void* result) {
    const auto self = reinterpret_cast<std::uintptr_t>(&current);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
            const Range range{reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
            if (range.contains(self)) {
                *static_cast<Range*>(result) = range;
                return 1;
            }
        }
    }
    return 0;
}

}  // namespace

std::uintptr_t module_base() { return this_module().base; }

const char* module_path() { return this_module().path.c_str(); }

bool in_module(std::uintptr_t address) {
    for (const Range& segment : this_module().segments) {
        if (segment.contains(address)) {
            return true;
        }
    }
    return false;
}

Range thread_locals() {
    Range range{0, 0};
    dl_iterate_phdr(find_thread_locals, &range);
    return range;
}

}  // namespace intent::sim
