#include "source_lines.hpp"

#include "call_paths.hpp"
#include "module.hpp"

#include <cstdio>
#include <map>
#include <set>

namespace intent::sim {

namespace {

// The lines of a place, innermost first: where an inlined function was called follows where it is.
using Lines = std::vector<std::string>;

constexpr const char* kRuntimeFolder = "include/intent/";

std::string line_of(const Location& location) {
    return std::string(location.file_name()) + ":" + std::to_string(location.line());
}

std::string without_folder(const std::string& line) { return line.substr(line.rfind('/') + 1); }

bool in_runtime(const std::string& line) { return line.find(kRuntimeFolder) != std::string::npos; }

bool is_known(const std::string& line) {
    return !line.empty() && line[0] != '?' && line.find(":?") == std::string::npos;
}

// The addresses of the instructions that called, as they are in the file.
std::vector<std::uintptr_t> call_addresses(const Piece& piece) {
    std::vector<std::uintptr_t> addresses;
    if (piece.place.return_address != nullptr) {
        addresses.push_back(reinterpret_cast<std::uintptr_t>(piece.place.return_address) - 1 - module_base());
    }
    for (const void* call : calls_of(piece.place.call_path)) {
        addresses.push_back(reinterpret_cast<std::uintptr_t>(call) - 1 - module_base());
    }
    return addresses;
}

std::string quoted(const std::string& path) {
    std::string text = "'";
    for (const char c : path) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

// Asks addr2line about all addresses at once: for each a line with the address, then its lines.
std::map<std::uintptr_t, Lines> look_up(const std::set<std::uintptr_t>& addresses) {
    std::map<std::uintptr_t, Lines> result;
    if (addresses.empty()) {
        return result;
    }
    std::string command = "addr2line -a -i -e " + quoted(module_path());
    char hexadecimal[32];
    for (const std::uintptr_t address : addresses) {
        std::snprintf(hexadecimal, sizeof hexadecimal, " %#zx", static_cast<std::size_t>(address));
        command += hexadecimal;
    }
    FILE* output = popen((command + " 2>/dev/null").c_str(), "r");
    if (output == nullptr) {
        return result;
    }
    Lines* lines = nullptr;
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, output) != nullptr) {
        std::string line(buffer);
        line = line.substr(0, line.find('\n'));
        line = line.substr(0, line.find(" (discriminator"));
        if (line.rfind("0x", 0) == 0) {
            lines = &result[std::stoull(line, nullptr, 16)];
        } else if (lines != nullptr && is_known(line)) {
            lines->push_back(line);
        }
    }
    pclose(output);
    return result;
}

// The innermost line of the kernel, with the line of the runtime that it led to.
std::string describe(const Lines& lines) {
    if (lines.empty()) {
        return "an unknown line";
    }
    for (const std::string& line : lines) {
        if (!in_runtime(line)) {
            const bool direct = !in_runtime(lines.front());
            return without_folder(line) + (direct ? "" : " (in " + without_folder(lines.front()) + ")");
        }
    }
    return without_folder(lines.front());
}

}  // namespace

std::vector<std::string> source_lines(const std::vector<const Piece*>& places) {
    std::set<std::uintptr_t> addresses;
    for (const Piece* piece : places) {
        for (const std::uintptr_t address : call_addresses(*piece)) {
            addresses.insert(address);
        }
    }
    const std::map<std::uintptr_t, Lines> known = look_up(addresses);
    std::vector<std::string> result;
    for (const Piece* piece : places) {
        Lines lines;
        if (piece->place.location != nullptr) {
            lines.push_back(line_of(piece->location));
        }
        for (const std::uintptr_t address : call_addresses(*piece)) {
            if (const auto found = known.find(address); found != known.end()) {
                lines.insert(lines.end(), found->second.begin(), found->second.end());
            }
        }
        result.push_back(describe(lines));
    }
    return result;
}

}  // namespace intent::sim
