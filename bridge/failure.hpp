// A refused call, on its way to the Python exception that stands for it.
#pragma once

#include <stdexcept>
#include <string>

namespace bridge {

enum class FailureKind { kArgument, kDType, kShape, kStride, kAlias, kCapacity, kDevice, kInternal,
    kBounds, kRegion, kPromise, kDuplicate, kRace, kUninitialised };

// The word by which the Python side knows the kind.
constexpr const char* name_of(FailureKind kind) {
    switch (kind) {
        case FailureKind::kArgument: return "argument";
        case FailureKind::kDType: return "dtype";
        case FailureKind::kShape: return "shape";
        case FailureKind::kStride: return "stride";
        case FailureKind::kAlias: return "alias";
        case FailureKind::kCapacity: return "capacity";
        case FailureKind::kDevice: return "device";
        case FailureKind::kInternal: return "internal";
        case FailureKind::kBounds: return "bounds";
        case FailureKind::kRegion: return "region";
        case FailureKind::kPromise: return "promise";
        case FailureKind::kDuplicate: return "duplicate";
        case FailureKind::kRace: return "race";
        case FailureKind::kUninitialised: return "uninitialised";
    }
    return "internal";
}

class Failure : public std::runtime_error {
public:
    Failure(FailureKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    FailureKind kind() const { return kind_; }

private:
    FailureKind kind_;
};

}  // namespace bridge
