// Matrix instructions of a warp: ldmatrix and mma.
#include "checker.hpp"
#include "report.hpp"
#include "warp.hpp"

#include <intent/float16.hpp>
#include <intent/sim/instructions.hpp>

#include <cstring>
#include <utility>

namespace intent::sim {

namespace {

constexpr int kMatrixRows = 8;
constexpr int kRowBytes = 16;

struct LoadLane {
    const void* row;
    unsigned* registers;
    int count;
    bool transposed;
};

// Lane 8 * m + i brought the address of row i of matrix m. Lane l receives two neighbours of row l / 4.
void finish_load(WarpOperation& operation) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        const auto& self = brought_by<LoadLane>(operation, lane);
        for (int matrix = 0; matrix < self.count; ++matrix) {
            std::uint16_t pair[2];
            for (int element = 0; element < 2; ++element) {
                int row = lane / 4;
                int column = 2 * (lane % 4) + element;
                if (self.transposed) {
                    std::swap(row, column);
                }
                const void* address = brought_by<LoadLane>(operation, kMatrixRows * matrix + row).row;
                std::memcpy(&pair[element], static_cast<const std::uint16_t*>(address) + column, sizeof pair[element]);
            }
            std::memcpy(&self.registers[matrix], pair, sizeof pair);
        }
    }
}

struct MultiplyLane {
    float* d;
    const unsigned* a;
    const unsigned* b;
    bool is_bf16;
};

float element_of(unsigned packed, int element, bool is_bf16) {
    const auto bits = static_cast<std::uint16_t>(packed >> (16 * element));
    return is_bf16 ? static_cast<float>(bit_cast<bf16>(bits)) : static_cast<float>(bit_cast<f16>(bits));
}

// Lane l = 4 * g + t holds rows g and g + 8 of a and d, column g of b, and in each register two neighbours from 2 * t.
void finish_multiply(WarpOperation& operation) {
    float a[16][16];
    float b[16][8];
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        const auto& self = brought_by<MultiplyLane>(operation, lane);
        const int g = lane / 4;
        const int t = lane % 4;
        for (int element = 0; element < 2; ++element) {
            for (int r = 0; r < 4; ++r) {
                a[g + 8 * (r % 2)][2 * t + element + 8 * (r / 2)] = element_of(self.a[r], element, self.is_bf16);
            }
            for (int r = 0; r < 2; ++r) {
                b[2 * t + element + 8 * r][g] = element_of(self.b[r], element, self.is_bf16);
            }
        }
    }
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        float* d = brought_by<MultiplyLane>(operation, lane).d;
        for (int r = 0; r < 4; ++r) {
            const int row = lane / 4 + 8 * (r / 2);
            const int column = 2 * (lane % 4) + r % 2;
            for (int k = 0; k < 16; ++k) {
                d[r] += a[row][k] * b[k][column];
            }
        }
    }
}

}  // namespace

void load_matrices(unsigned* registers, const void* row, int count, bool transposed, Location location) {
    if (current.thread->lane < kMatrixRows * count) {
        check_alignment(row, kRowBytes, "ldmatrix", location);
        note_access(row, kRowBytes, AccessKind::read, __builtin_return_address(0));
    }
    LoadLane lane{row, registers, count, transposed};
    meet_warp(~0u, &lane, finish_load, false, location);
}

void multiply_matrices(float* d, const unsigned* a, const unsigned* b, bool is_bf16, Location location) {
    MultiplyLane lane{d, a, b, is_bf16};
    meet_warp(~0u, &lane, finish_multiply, false, location);
}

}  // namespace intent::sim
