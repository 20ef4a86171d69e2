// A loaded shared library.
#pragma once

#include <memory>
#include <string>

namespace bridge {

class Library {
public:
    // Throws std::runtime_error with the loader's words.
    explicit Library(const std::string& path);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    // Throws std::runtime_error when there is no such symbol.
    template <class Function>
    Function function(const std::string& symbol) const {
        return reinterpret_cast<Function>(address(symbol));
    }

private:
    void* address(const std::string& symbol) const;

    std::string path_;
    void* handle_;
};

}  // namespace bridge
