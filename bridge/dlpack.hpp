// The layout of DLPack tensors, version 1, as its specification fixes it.
#pragma once

#include <cstdint>

namespace bridge::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

struct Device {
    std::int32_t type;
    std::int32_t id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t rank;
    DataType dtype;
    std::int64_t* extents;
    std::int64_t* strides;  // in elements; null for row-major without gaps
    std::uint64_t byte_offset;
};

// What a capsule named "dltensor" points to.
struct Managed {
    Tensor tensor;
    void* owner;
    void (*release)(Managed*);
};

// What a capsule named "dltensor_versioned" points to.
struct ManagedVersioned {
    struct {
        std::uint32_t major;
        std::uint32_t minor;
    } version;
    void* owner;
    void (*release)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};

constexpr std::uint64_t kReadOnly = 1;

}  // namespace bridge::dlpack
