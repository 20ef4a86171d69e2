#include "dtype.hpp"

#include <array>
#include <bit>
#include <stdexcept>

namespace bridge {
namespace {

constexpr std::array kTypes = {
    DType{"bool", Family::kBool, 1},          DType{"index", Family::kSigned, 8},
    DType{"i8", Family::kSigned, 1},          DType{"i16", Family::kSigned, 2},
    DType{"i32", Family::kSigned, 4},         DType{"i64", Family::kSigned, 8},
    DType{"u8", Family::kUnsigned, 1},        DType{"u16", Family::kUnsigned, 2},
    DType{"u32", Family::kUnsigned, 4},       DType{"u64", Family::kUnsigned, 8},
    DType{"f16", Family::kFloat, 2},          DType{"f32", Family::kFloat, 4},
    DType{"f64", Family::kFloat, 8},          DType{"bf16", Family::kBFloat, 2},
    DType{"f8e4m3fn", Family::kFloat8E4M3, 1}, DType{"f8e5m2", Family::kFloat8E5M2, 1},
};

bool is_native_order(char order) {
    constexpr char kNative = std::endian::native == std::endian::little ? '<' : '>';
    return order == '@' || order == '=' || order == '|' || order == kNative;
}

}  // namespace

const DType& dtype_named(std::string_view name) {
    for (const DType& type : kTypes)
        if (type.name == name) return type;
    throw std::invalid_argument("unknown dtype " + std::string(name));
}

ElementType from_dlpack(int code, int bits, int lanes) {
    if (lanes != 1 || bits % 8 != 0) return {};
    const int size = bits / 8;
    switch (code) {
        case 0: return {Family::kSigned, size};
        case 1: return {Family::kUnsigned, size};
        case 2: return {Family::kFloat, size};
        case 4: return {Family::kBFloat, size};
        case 6: return {Family::kBool, size};
        case 10: return {Family::kFloat8E4M3, size};
        case 12: return {Family::kFloat8E5M2, size};
        default: return {};
    }
}

ElementType from_buffer_format(const char* format, std::int64_t item_size) {
    if (format == nullptr) return {Family::kUnsigned, 1};  // the protocol's default is "B"
    std::string_view text(format);
    if (!text.empty() && std::string_view("@=<>!|").find(text.front()) != std::string_view::npos) {
        if (!is_native_order(text.front()) && item_size > 1) return {};
        text.remove_prefix(1);
    }
    if (text.size() != 1) return {};
    const int size = static_cast<int>(item_size);
    switch (text.front()) {
        case '?': return {Family::kBool, size};
        case 'b': case 'h': case 'i': case 'l': case 'q': case 'n': return {Family::kSigned, size};
        case 'B': case 'H': case 'I': case 'L': case 'Q': case 'N': return {Family::kUnsigned, size};
        case 'e': case 'f': case 'd': return {Family::kFloat, size};
        default: return {};
    }
}

ElementType from_typestr(std::string_view typestr) {
    if (typestr.size() != 3 || !is_native_order(typestr[0]) || typestr[2] < '1' || typestr[2] > '8') return {};
    const int size = typestr[2] - '0';
    switch (typestr[1]) {
        case 'b': return {Family::kBool, size};
        case 'i': return {Family::kSigned, size};
        case 'u': return {Family::kUnsigned, size};
        case 'f': return {Family::kFloat, size};
        default: return {};
    }
}

std::string describe(ElementType type) {
    for (const DType& candidate : kTypes)
        if (type == candidate && candidate.name != "index") return std::string(candidate.name);
    return "an unsupported type";
}

}  // namespace bridge
