#include "symbols.hpp"

#include "module.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace intent::sim {

namespace {

// Structures of the file at `offset`; nullptr when they do not fit into it.
template <class T>
const T* at(const std::string& file, std::size_t offset, std::size_t count = 1) {
    const bool fits = offset <= file.size() && count <= (file.size() - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(file.data() + offset) : nullptr;
}

// "tile" of "void kernel<true>(float*)::tile".
std::string source_name(const char* symbol) {
    int status = 0;
    char* demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = demangled != nullptr ? demangled : symbol;
    std::free(demangled);
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

void collect(const std::string& file, const Elf64_Shdr& table, const Elf64_Shdr& strings,
             std::vector<ThreadVariable>& variables) {
    const std::size_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = at<Elf64_Sym>(file, table.sh_offset, count);
    const char* names = at<char>(file, strings.sh_offset, strings.sh_size);
    if (symbols == nullptr || names == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Elf64_Sym& symbol = symbols[i];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF) {
            continue;
        }
        const char* name = names + symbol.st_name;
        if (std::strncmp(name, "_ZGV", 4) == 0) {
            variables.push_back({symbol.st_value, symbol.st_size, ""});
        } else if (std::strncmp(name, "_ZZ", 3) == 0) {
            variables.push_back({symbol.st_value, symbol.st_size, source_name(name)});
        }
    }
}

std::vector<ThreadVariable> read_variables() {
    std::ifstream stream(module_path(), std::ios::binary);
    const std::string file((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::vector<ThreadVariable> variables;
    const auto* header = at<Elf64_Ehdr>(file, 0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return variables;
    }
    const auto* sections = at<Elf64_Shdr>(file, header->e_shoff, header->e_shnum);
    for (std::size_t i = 0; sections != nullptr && i < header->e_shnum; ++i) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum) {
            collect(file, sections[i], sections[sections[i].sh_link], variables);
        }
    }
    return variables;
}

}  // namespace

const std::vector<ThreadVariable>& thread_variables() {
    static const std::vector<ThreadVariable> variables = read_variables();
    return variables;
}

}  // namespace intent::sim
