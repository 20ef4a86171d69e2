// The element types of the language and their spelling in the array protocols.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bridge {

enum class Family : std::uint8_t { kBool, kSigned, kUnsigned, kFloat, kBFloat, kFloat8E4M3, kFloat8E5M2 };

struct DType {
    std::string_view name;  // the author's spelling
    Family family;
    int size;  // bytes of an element
};

// The type of this name. Throws std::invalid_argument for an unknown one.
const DType& dtype_named(std::string_view name);

// What a foreign array says about its elements, comparable with a DType.
struct ElementType {
    Family family = Family::kBool;
    int size = 0;  // 0: none of our types
    bool operator==(const DType& type) const { return family == type.family && size == type.size; }
};

// `code`, `bits` and `lanes` as in DLPack's DLDataType.
ElementType from_dlpack(int code, int bits, int lanes);

// The format of a buffer of the struct module, e.g. "f" or "<q".
ElementType from_buffer_format(const char* format, std::int64_t item_size);

// The type string of `__cuda_array_interface__`, e.g. "<f4".
ElementType from_typestr(std::string_view typestr);

// A readable name for messages, "f32" or "an unsupported type".
std::string describe(ElementType type);

}  // namespace bridge
